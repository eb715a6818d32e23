#include "study/validate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "report/csv/validation.hpp"
#include "report/io/atomic_file.hpp"
#include "report/json/validation.hpp"
#include "report/page/validation.hpp"
#include "report/text/validation.hpp"

namespace pipewright::cli {
namespace {

struct Wanted {
  CommonOptions common;
  std::string runs;
  std::vector<std::string> groups;
  int jobs = 0;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  add_common(description, wanted.common);
  auto add = description.add_options();
  add("runs", options::value(&wanted.runs));
  add("group", options::value(&wanted.groups)->composing());
  wanted.jobs = parse(arguments, description, "runs", 1)["jobs"].as<int>();
  if (wanted.runs.empty())
    throw InputError("validate needs RUNS, a YAML file of measured runs or published-runs");
  if (!wanted.common.trace.empty() || !wanted.common.folder.empty())
    throw InputError("validate writes --json, --csv and --html, no trace and no folder");
  return wanted;
}

config::Value load(const std::string& name, const config::Catalogue& catalogue) {
  const bool file = name == "-" || config::is_path(name) || std::filesystem::exists(name);
  return file ? config::parse_file(name) : catalogue.load("validation", config::scalar(name));
}

std::vector<MeasuredRun> read_runs(const Wanted& wanted, const config::Catalogue& catalogue) {
  std::vector<MeasuredRun> runs = read_measured_runs(load(wanted.runs, catalogue));
  for (const std::string& group : wanted.groups) {
    std::vector<std::string_view> names;
    for (const MeasuredRun& run : runs) names.push_back(run.group);
    if (std::find(names.begin(), names.end(), group) == names.end())
      throw InputError(fmt::format("no run is of group '{}'{}", group, did_you_mean(group, names)));
  }
  if (!wanted.groups.empty()) {
    std::erase_if(runs, [&](const MeasuredRun& run) {
      return std::find(wanted.groups.begin(), wanted.groups.end(), run.group) ==
             wanted.groups.end();
    });
  }
  for (MeasuredRun& run : runs)
    for (const std::string& assignment : wanted.common.assignments)
      config::set_path(run.experiment, assignment);
  return runs;
}

/// A line that is written over and over on a terminal, and nothing in a pipe.
void show_progress(size_t done, size_t all) {
  if (isatty(STDERR_FILENO))
    fmt::print(stderr, "\r{} of {} runs{}", done, all, done == all ? "\r\033[K" : "");
}

int validate_runs(const Arguments& arguments, const Environment& environment) {
  const Wanted wanted = read_options(arguments);
  const std::vector<MeasuredRun> runs = read_runs(wanted, environment.catalogue);
  const Validation validation =
      validate(runs, environment.catalogue, wanted.common.run, wanted.jobs,
               [&](size_t done) { show_progress(done, runs.size()); });
  if (!wanted.common.json.empty()) write_file(wanted.common.json, json_text(validation));
  if (!wanted.common.csv.empty()) write_file(wanted.common.csv, csv_text(validation));
  if (!wanted.common.html.empty())
    write_file(wanted.common.html, [&](std::ostream& out) { write_html(validation, out); });
  if (!wanted.common.quiet && wanted.common.json != "-" && wanted.common.csv != "-" &&
      wanted.common.html != "-")
    fmt::print("{}", summary(validation));
  return 0;
}

}  // namespace

const Command command::validate_command{"validate", help_validate, validate_runs};

}  // namespace pipewright::cli
