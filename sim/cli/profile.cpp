#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "cli/check_collectives.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "cli/yaml_file.hpp"
#include "config/emit.hpp"
#include "config/small_file.hpp"
#include "cost/measured_csv.hpp"
#include "cost/profile_check.hpp"
#include "report/io/atomic_file.hpp"
#include "report/text/numbers.hpp"
#include "report/text/table.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Wanted {
  std::string action;
  std::vector<std::string> profiles;
  std::string against, json, output;
  bool quiet = false;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  std::vector<std::string> words;
  options::options_description description;
  auto add = description.add_options();
  add("words", options::value(&words));
  add("against", options::value(&wanted.against));
  add("json", options::value(&wanted.json));
  add("output,o", options::value(&wanted.output));
  add("quiet,q", options::bool_switch(&wanted.quiet));
  parse(arguments, description, "words", -1);
  if (words.empty()) throw InputError("profile needs an action: show, check, diff or merge");
  config::as_choice(config::scalar(words[0]), {"show", "check", "diff", "merge"});
  wanted.action = words[0];
  wanted.profiles.assign(words.begin() + 1, words.end());
  return wanted;
}

void require_profiles(const Wanted& wanted, size_t least, size_t most) {
  if (wanted.profiles.size() >= least && wanted.profiles.size() <= most) return;
  throw InputError(fmt::format("profile {} needs {}", wanted.action,
                               least == 1  ? "a PROFILE"
                               : most == 2 ? "two profiles, OLD and NEW"
                                           : "two profiles or more"));
}

config::Value load(const std::string& name, const Environment& environment) {
  return environment.catalogue.resolve("profiles", config::scalar(name));
}

std::string error_line(const std::string& what, const HeldOutError& e) {
  return fmt::format("  {}, held out {}: {} points, median {}, 90th {}, 95th {}\n", what, e.points,
                     e.count, percent(e.median), percent(e.p90), percent(e.p95));
}

int show(const Wanted& wanted, const Environment& environment) {
  require_profiles(wanted, 1, 1);
  const config::Value document = load(wanted.profiles[0], environment);
  const Profile profile = read_profile(document, environment.catalogue);
  if (wanted.quiet) return 0;
  fmt::print("{}\n", config::to_yaml(document));
  for (const GemmProfile& family : profile.gemm)
    fmt::print("gemm in {}: {} measured points\n", name_of(family.model.dtype()),
               family.model.points().count());
  if (profile.attention)
    fmt::print("attention: {} measured points\n", profile.attention->model.points().count());
  for (const GemmProfile& family : profile.gemm)
    for (const HeldOutError& e : family.held_out)
      fmt::print("{}", error_line(fmt::format("gemm in {}", name_of(family.model.dtype())), e));
  if (profile.attention)
    for (const HeldOutError& e : profile.attention->held_out)
      fmt::print("{}", error_line("attention", e));
  for (const StreamProfile& stream : profile.streams)
    for (const HeldOutError& e : stream.held_out)
      fmt::print("{}", error_line(fmt::format("{} {}", stream_name(stream.kernel),
                                              stream.gradient ? "gradients" : "forward"),
                                  e));
  if (profile.conditions) fmt::print("{}", describe(*profile.conditions));
  return 0;
}

std::vector<std::string> row_of(const ProfileErrors& e) {
  return {e.kernel + " " + e.group,
          fmt::format("{}", e.points),
          percent(e.median),
          percent(e.p90),
          percent(e.p95),
          percent(e.most),
          fmt::format("{}", e.outside_range)};
}

std::string json_of(const ProfileErrors& e) {
  const nlohmann::ordered_json j = {
      {"kernel", e.kernel},     {"points", e.points},      {"median_abs_error", e.median},
      {"p95_abs_error", e.p95}, {"max_abs_error", e.most}, {"outside_range", e.outside_range}};
  return dump_json(j, 1) + "\n";
}

/// Tables of kernels have a header that tells; collectives come as logs too.
bool is_of_kernels(const std::string& text) {
  const std::string header = text.substr(0, text.find('\n'));
  return header.find("ranks") == std::string::npos && header.find(',') != std::string::npos;
}

int check_profile(const Wanted& wanted, const Environment& environment) {
  require_profiles(wanted, 1, 1);
  if (wanted.against.empty())
    throw InputError("profile check needs --against FILE, measured times as CSV");
  const std::string text = config::read_small_file(wanted.against);
  const ProfileCheck result =
      is_of_kernels(text)
          ? check(read_profile(load(wanted.profiles[0], environment), environment.catalogue),
                  read_measured_csv(text, wanted.against))
          : check_collectives(wanted.profiles[0], text, wanted.against, environment);
  if (!wanted.json.empty()) write_file(wanted.json, json_of(result.all));
  if (wanted.quiet || wanted.json == "-") return 0;
  Rows rows = {{"points", "count", "median", "90th", "95th", "most", "outside"}};
  for (const ProfileErrors& group : result.groups) rows.push_back(row_of(group));
  rows.push_back(row_of(result.all));
  fmt::print("{}", aligned(rows));
  return 0;
}

int diff(const Wanted& wanted, const Environment& environment) {
  require_profiles(wanted, 2, 2);
  const config::Value before = load(wanted.profiles[0], environment);
  const config::Value after = load(wanted.profiles[1], environment);
  std::vector<ProfileChange> all = changes(read_profile(before, environment.catalogue),
                                           read_profile(after, environment.catalogue));
  const std::vector<ProfileChange> collectives = collective_changes(before, after);
  all.insert(all.end(), collectives.begin(), collectives.end());
  bool slower = false;
  Rows rows = {{"kernel", "points", "change", "noise", ""}};
  for (const ProfileChange& change : all) {
    slower |= change.regression();
    rows.push_back({change.kernel, fmt::format("{}", change.points),
                    fmt::format("{:+.1f} %", 100 * (change.median_ratio - 1)),
                    percent(change.noise), change.regression() ? "slower" : ""});
  }
  if (rows.size() == 1) throw InputError("the two profiles have no kernel in common");
  if (!wanted.quiet) fmt::print("{}", aligned(rows));
  return slower ? 1 : 0;
}

/// Lays what `more` has measured over `profile`.
void add_kernels(Profile& profile, Profile more) {
  for (GemmProfile& family : more.gemm) {
    std::erase_if(profile.gemm, [&](const GemmProfile& known) {
      return known.model.dtype() == family.model.dtype();
    });
    profile.gemm.push_back(std::move(family));
  }
  if (more.attention) profile.attention = std::move(more.attention);
  for (StreamProfile& stream : more.streams) {
    std::erase_if(profile.streams, [&](const StreamProfile& known) {
      return known.kernel == stream.kernel && known.gradient == stream.gradient;
    });
    profile.streams.push_back(std::move(stream));
  }
}

int merge_profiles(const Wanted& wanted, const Environment& environment) {
  require_profiles(wanted, 2, 1000);
  if (wanted.output.empty() || wanted.output == "-")
    throw InputError("profile merge needs -o OUT, a YAML file");
  config::Value document;
  std::optional<Profile> all;
  for (const std::string& name : wanted.profiles) {
    const config::Value next = load(name, environment);
    Profile profile = read_profile(next, environment.catalogue);
    if (all && all->device.name != profile.device.name) {
      throw InputError(fmt::format("'{}' is of {}, the one before of {}", name, profile.device.name,
                                   all->device.name));
    }
    config::merge(document, next);
    if (!all) {
      all = std::move(profile);
    } else {
      add_kernels(*all, std::move(profile));
    }
  }
  const std::filesystem::path points =
      std::filesystem::path(wanted.output).replace_extension("points");
  set_kernels(document, *all, points.filename().string());
  write_file(points.string(), points_text(*all));
  write_yaml(wanted.output, config::to_yaml(document), "profile");
  return 0;
}

int profile(const Arguments& arguments, const Environment& environment) {
  const Wanted wanted = read_options(arguments);
  if (wanted.action == "show") return show(wanted, environment);
  if (wanted.action == "check") return check_profile(wanted, environment);
  if (wanted.action == "diff") return diff(wanted, environment);
  return merge_profiles(wanted, environment);
}

std::vector<std::string> actions_and_profiles(const config::Catalogue& catalogue) {
  std::vector<std::string> words = catalogue.names("profiles");
  words.insert(words.end(), {"show", "check", "diff", "merge"});
  return words;
}

}  // namespace

const Command command::profile_command{
    .name = "profile", .help = help_profile, .run = profile, .words = actions_and_profiles};

}  // namespace pipewright::cli
