#include "calibrate/cli/fit_nccl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "base/required.hpp"
#include "base/tell.hpp"
#include "base/text.hpp"
#include "calibrate/cli/registry.hpp"
#include "calibrate/fit/nccl.hpp"
#include "cli/options.hpp"
#include "cli/yaml_file.hpp"
#include "config/emit.hpp"
#include "config/small_file.hpp"
#include "network/nccl/network_profile.hpp"
#include "report/io/atomic_file.hpp"

namespace pipewright::cli {
namespace {

namespace fs = std::filesystem;
using interop::NcclPoint;

struct Wanted {
  std::vector<std::string> files, checks;
  CollectiveFit fit;
  int ranks = 0, nodes = 0;
  bool quiet = false;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  auto add = description.add_options();
  add("files", options::value(&wanted.files));
  add("check", options::value(&wanted.checks)->composing());
  add("device", options::value(&wanted.fit.device));
  add("tuning", options::value(&wanted.fit.tuning));
  add("link-bandwidth", options::value(&wanted.fit.link_bandwidth));
  add("ranks", options::value(&wanted.ranks));
  add("nodes", options::value(&wanted.nodes));
  add("output,o", options::value(&wanted.fit.output)->default_value("-"));
  add("quiet,q", options::bool_switch(&wanted.quiet));
  parse(arguments, description, "files", -1);
  if (wanted.files.empty()) throw InputError("fit nccl needs a FILE of measured times");
  return wanted;
}

bool are_across(const std::vector<NcclPoint>& points) {
  return std::ranges::any_of(points, [](const NcclPoint& point) { return point.nodes > 1; });
}

std::vector<NcclPoint> read_points(const std::string& file, int ranks, int nodes) {
  std::vector<NcclPoint> points = interop::read_nccl_points(config::read_small_file(file), file,
                                                            {.ranks = ranks, .nodes = nodes});
  require_model(points, file);
  for (NcclPoint& point : points) {
    if (ranks > 0 && point.ranks != ranks)
      throw InputError({file}, fmt::format("times of {} ranks, but --ranks says {}: leave --ranks "
                                           "out, the file says it",
                                           point.ranks, ranks));
    if (nodes == 0) continue;
    point.nodes = nodes;
    if (point.ranks % nodes != 0)
      throw InputError({file},
                       fmt::format("{} ranks do not divide by --nodes {}", point.ranks, nodes));
  }
  return points;
}

/// The profile that is to be written where it is there already, else the shipped one of the device,
/// else a map with its name.
config::Value document_of(const CollectiveFit& wanted, const Environment& environment) {
  if (wanted.output != "-" && fs::is_regular_file(wanted.output))
    return config::parse_file(wanted.output);
  for (const config::Listing& entry : environment.catalogue.list("profiles")) {
    if (entry.name == wanted.device)
      return environment.catalogue.load("profiles", config::scalar(entry.name));
  }
  config::Value document;
  document.set("schema", config::scalar("pipewright.profile/1"));
  document.set("description", config::scalar("measured collectives of " + wanted.device));
  document.set("device", config::scalar(wanted.device));
  return document;
}

/// Returns what the fit starts from: the device's own profile, with what the user says instead.
CollectiveProfile start_of(const config::Value& document, const CollectiveFit& wanted,
                           const Environment& environment) {
  CollectiveProfile start;
  if (document.find("collectives"))
    start = required(read_collective_profile(document, environment.catalogue), "it is there");
  if (!wanted.tuning.empty())
    start.tuning = read_nccl_tuning(config::scalar(wanted.tuning), environment.catalogue);
  if (!wanted.link_bandwidth.empty())
    start.link_bandwidth = config::as_bandwidth(config::scalar(wanted.link_bandwidth)).bytes_per_s;
  if (start.tuning.name.empty() || !(start.link_bandwidth > 0)) {
    throw InputError(fmt::format(
        "there is no profile of '{}' to start from: --tuning and --link-bandwidth are needed",
        wanted.device));
  }
  return start;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

/// Returns how many words of a profile's name begin a word of the driver's name; none without the
/// chip's.
int likeness(const std::string& profile, const std::vector<std::string>& driver) {
  const std::vector<std::string> words = words_of(profile);
  if (std::find(driver.begin(), driver.end(), words[0]) == driver.end()) return 0;
  return static_cast<int>(std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(driver.begin(), driver.end(),
                       [&](const std::string& other) { return other.starts_with(word); });
  }));
}

/// The shipped profile that is most like the driver's name for the device: "a100-sxm-80g" for
/// "NVIDIA A100-SXM4-80GB".
std::string device_of(const std::vector<NcclPoint>& points, const Environment& environment) {
  const std::string& name = points.front().device;
  const std::vector<std::string> driver = words_of(name);
  std::string best;
  int most = 0;
  for (const config::Listing& entry : environment.catalogue.list("profiles")) {
    if (const int like = likeness(entry.name, driver); like > most) most = like, best = entry.name;
  }
  if (!best.empty()) return best;
  throw InputError(
      name.empty()
          ? "the files do not say which device was measured: --device NAME is needed"
          : fmt::format("the catalogue has no profile of '{}': --device NAME is needed", name));
}

std::string csv_of(const std::vector<NcclPoint>& points) {
  std::string text = "op,dtype,ranks,bytes,time_s\n";
  for (const NcclPoint& point : points) {
    text += fmt::format("{},{},{},{},{:.6g}\n", point.operation, point.type, point.ranks,
                        point.bytes.count, point.time_s);
  }
  return text;
}

/// The library that the points are of; of several all.
std::string library_of(const std::vector<NcclPoint>& points) {
  std::set<std::string_view> known;
  for (const NcclPoint& point : points)
    if (!point.library.empty()) known.insert(point.library);
  return join(std::vector(known.begin(), known.end()));
}

/// The measured kernels of a shipped profile lie beside it in the catalogue, where no file finds
/// them: they go along with the output. Nothing lies beside standard output, which has no kernels.
void take_kernels_along(config::Value& document, const std::string& output,
                        const config::Catalogue& catalogue) {
  const config::Value* points = document.find("points");
  if (!points) return;
  if (output == "-") {
    std::erase_if(document.entries, [](const config::Entry& entry) {
      return entry.key == "points" || entry.key == "gemm" || entry.key == "attention";
    });
    return;
  }
  if (points->mark.where().file == output) return;
  const fs::path beside = fs::path(output).replace_extension("points");
  write_file(beside.string(), catalogue.read_beside(*points).text);
  document.set("points", config::scalar(beside.filename().string()));
}

void print_errors(const char* what, const HeldOut& errors) {
  if (errors.points == 0) return tell("{}: no points, so that their error is not known\n", what);
  tell("{}: {} points, median error {:.1f} %, 95th percentile {:.1f} %\n", what, errors.points,
       100 * errors.median_abs_error, 100 * errors.p95_abs_error);
}

using Shape = std::tuple<std::string, int, int64_t>;
Shape shape_of(const NcclPoint& point) { return {point.operation, point.ranks, point.bytes.count}; }

void check(const CollectiveProfile& profile, const std::vector<NcclPoint>& seen,
           const std::string& file) {
  std::set<Shape> shapes;
  for (const NcclPoint& point : seen) shapes.insert(shape_of(point));
  std::vector<double> errors;
  for (const NcclPoint& point : read_points(file, 0, 0))
    if (!shapes.contains(shape_of(point)))
      errors.push_back(predicted_s(profile, point) / point.time_s - 1);
  print_errors(file.c_str(), summary_of(std::move(errors)));
}

}  // namespace

CollectiveProfile fit_and_write(CollectiveFit wanted, const Environment& environment) {
  if (wanted.device.empty()) wanted.device = device_of(wanted.points, environment);
  config::Value document = document_of(wanted, environment);
  const CollectiveProfile start = start_of(document, wanted, environment);
  CollectiveProfile profile = fit::fit_collectives(start, wanted.points);
  profile.held_out = fit::held_out_error(start, wanted.points);
  if (const std::string library = library_of(wanted.points); !library.empty())
    profile.software = library;
  take_kernels_along(document, wanted.output, environment.catalogue);
  profile.points.clear();
  if (wanted.output != "-") {
    const fs::path table = fs::path(wanted.output).replace_extension("nccl.csv");
    profile.points = table.filename().string();
    write_file(table.string(), csv_of(wanted.points));
  }
  document.set("origin", config::scalar("measured"));
  document.set("collectives", to_value(profile));
  write_yaml(wanted.output, config::to_yaml(document), "profile");
  return profile;
}

namespace {

/// What was measured over several nodes is no fit: it is kept as it is.
int write_network(const Wanted& wanted) {
  const NetworkProfile profile = network_profile_of(wanted.fit.points, wanted.files.front());
  write_yaml(wanted.fit.output, config::to_yaml(to_value(profile)), "network");
  if (!wanted.quiet) print_errors("sizes left out", profile.held_out);
  return 0;
}

int fit_nccl(const Arguments& arguments, const Environment& environment) {
  Wanted wanted = read_options(arguments);
  std::vector<NcclPoint>& points = wanted.fit.points;
  for (const std::string& file : wanted.files) {
    const std::vector<NcclPoint> more = read_points(file, wanted.ranks, wanted.nodes);
    points.insert(points.end(), more.begin(), more.end());
  }
  if (are_across(points)) return write_network(wanted);
  const CollectiveProfile profile = fit_and_write(wanted.fit, environment);
  if (wanted.quiet) return 0;
  print_errors("held out of the fit", required(profile.held_out, "a fit says it"));
  for (const std::string& file : wanted.checks) check(profile, points, file);
  return 0;
}

}  // namespace

const Command live_program::command::fit_nccl_command{"fit nccl", live_program::help_fit_nccl,
                                                      fit_nccl};

}  // namespace pipewright::cli
