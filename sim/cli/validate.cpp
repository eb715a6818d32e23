#include "study/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/other_kind.hpp"
#include "cli/output.hpp"
#include "cli/registry.hpp"
#include "cli/run_progress.hpp"
#include "report/csv/residuals.hpp"
#include "report/csv/validation.hpp"
#include "report/io/atomic_file.hpp"
#include "report/json/validation.hpp"
#include "report/page/validation.hpp"
#include "report/text/validation.hpp"

namespace pipewright::cli {
namespace {

struct Wanted {
  CommonOptions common;
  std::vector<std::string> runs, groups;
  std::string residuals;
  int jobs = 0;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  add_common(description, wanted.common);
  add_format(description, wanted.common);
  auto add = description.add_options();
  add("runs", options::value(&wanted.runs)->composing());
  add("residuals", options::value(&wanted.residuals));
  add("group", options::value(&wanted.groups)->composing());
  wanted.jobs = parse(arguments, description, "runs", -1)["jobs"].as<int>();
  if (wanted.runs.empty())
    throw InputError("validate needs RUNS, YAML files of measured runs or published-runs");
  if (!wanted.common.trace.empty() || !wanted.common.folder.empty())
    throw InputError("validate writes --json, --csv and --html, no trace and no folder");
  return wanted;
}

std::vector<MeasuredRun> read_runs(const Wanted& wanted, const Environment& environment) {
  std::vector<MeasuredRun> runs;
  for (const std::string& name : wanted.runs) {
    const config::Value document = load_document(name, "validation", environment);
    refuse_other_kind(document, name, DocumentKind::measured, environment.catalogue);
    std::ranges::move(read_measured_runs(document), std::back_inserter(runs));
  }
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

using ValidationOutcome = ReportedOutcome<Validation>;

ValidationOutcome validated(const Wanted& wanted, const Environment& environment) {
  const std::vector<MeasuredRun> runs = read_runs(wanted, environment);
  const Caller& caller = environment.caller;
  RunOptions options = wanted.common.run;
  options.stop = caller.stop;
  RunProgress line(!wanted.common.quiet);
  Validation validation =
      validate(runs, environment.catalogue, options, wanted.jobs, [&](size_t ended) {
        const auto done = static_cast<int64_t>(ended), total = static_cast<int64_t>(runs.size());
        caller.progress ? caller.progress(done, total) : line.show(done, total);
      });
  return {std::move(validation), validation_report};
}

int validate_runs(const Arguments& arguments, const Environment& environment) {
  const Wanted wanted = read_options(arguments);
  const ValidationOutcome outcome = validated(wanted, environment);
  if (!wanted.residuals.empty()) write_file(wanted.residuals, residuals_text(outcome.value()));
  if (wanted.residuals != "-") write_outcome(outcome, wanted.common);
  return 0;
}

std::unique_ptr<Outcome> ask(const Arguments& arguments, const Environment& environment) {
  return std::make_unique<ValidationOutcome>(validated(read_options(arguments), environment));
}

}  // namespace

const Command command::validate_command{
    .name = "validate",
    .help = help_validate,
    .run = validate_runs,
    .ask = ask,
    .words = [](const config::Catalogue& catalogue) { return catalogue.names("validation"); }};

}  // namespace pipewright::cli
