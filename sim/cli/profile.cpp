#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "config/emit.hpp"
#include "network/nccl/predicted.hpp"
#include "report/atomic_file.hpp"

namespace pipewright::cli {
namespace {

/// How a profile does on a table of measured points.
struct Check {
  std::string kernel;
  HeldOut errors;
  double most = 0;
  int outside = 0;
};

Check check_collectives(const config::Value& name, const std::string& file,
                        const Environment& environment) {
  const std::optional<CollectiveProfile> profile =
      read_collective_profile(name, environment.catalogue);
  if (!profile) throw InputError(fmt::format("profile '{}' holds no collectives", name.text));
  Check check{.kernel = "collectives"};
  std::vector<double> errors;
  for (const interop::NcclPoint& point : interop::read_nccl_points(config::read_file(file), file)) {
    if (point.nodes > 1) throw InputError({file}, "measured over several nodes: one is checked");
    errors.push_back(predicted_s(*profile, point) / point.time_s - 1);
    check.most = std::max(check.most, std::abs(errors.back()));
    check.outside +=
        point.bytes.count < profile->least_bytes || point.bytes.count > profile->most_bytes;
  }
  check.errors = summary_of(std::move(errors));
  return check;
}

std::string text_of(const Check& check) {
  return fmt::format(
      "{}: {} points, median error {:.1f} %, 95th percentile {:.1f} %, largest {:.1f} %; {} "
      "outside "
      "the measured range\n",
      check.kernel, check.errors.points, 100 * check.errors.median_abs_error,
      100 * check.errors.p95_abs_error, 100 * check.most, check.outside);
}

std::string json_of(const Check& check) {
  nlohmann::ordered_json object;
  object["kernel"] = check.kernel;
  object["points"] = check.errors.points;
  object["median_abs_error"] = check.errors.median_abs_error;
  object["p95_abs_error"] = check.errors.p95_abs_error;
  object["max_abs_error"] = check.most;
  object["outside_range"] = check.outside;
  return object.dump(2) + "\n";
}

int profile(const Arguments& arguments, const Environment& environment) {
  options::options_description description;
  std::vector<std::string> words;
  std::string against, json;
  auto add = description.add_options();
  add("words", options::value(&words));
  add("against", options::value(&against));
  add("json", options::value(&json));
  parse(arguments, description, "words", 2);
  if (words.size() != 2) throw InputError("profile needs 'show' or 'check' and a NAME");
  const bool shows = config::as_choice(config::scalar(words[0]), {"show", "check"}) == 0;
  const config::Value name = config::scalar(words[1]);
  if (shows) {
    fmt::print("{}", config::to_yaml(environment.catalogue.resolve("profiles", name)));
    return 0;
  }
  if (against.empty()) throw InputError("profile check needs --against FILE.csv");
  const Check check = check_collectives(name, against, environment);
  if (!json.empty()) write_file(json, json_of(check));
  if (json != "-") fmt::print("{}", text_of(check));
  return 0;
}

}  // namespace

const Command command::profile_command{"profile", help_profile, profile};

}  // namespace pipewright::cli
