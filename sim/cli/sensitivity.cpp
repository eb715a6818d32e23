#include "study/sensitivity.hpp"

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/output_files.hpp"
#include "cli/registry.hpp"
#include "cli/waiting_line.hpp"
#include "report/csv/sensitivity.hpp"
#include "report/json/sensitivity.hpp"
#include "report/page/sensitivity.hpp"
#include "report/text/sensitivity.hpp"

namespace pipewright::cli {
namespace {

struct Wanted {
  Outputs outputs;
  std::string experiment;
  std::vector<std::string> assignments;
  int jobs = 0;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  add_format(description, wanted.outputs);
  auto add = description.add_options();
  add("experiment", options::value(&wanted.experiment));
  add("set", options::value(&wanted.assignments)->composing());
  add("json", options::value(&wanted.outputs.json));
  add("csv", options::value(&wanted.outputs.csv));
  add("html", options::value(&wanted.outputs.html));
  add("jobs", options::value(&wanted.jobs)->default_value(0));
  add("quiet,q", options::bool_switch(&wanted.outputs.quiet));
  parse(arguments, description, "experiment", 1);
  if (wanted.experiment.empty()) throw InputError("sensitivity needs an EXPERIMENT");
  return wanted;
}

using SensitivityOutcome = ReportedOutcome<Sensitivity>;

SensitivityOutcome asked(const Wanted& wanted, const Environment& environment) {
  const config::Value experiment = environment.catalogue.resolve(
      "experiments", load_experiment(wanted.experiment, wanted.assignments, environment));
  check_output_files(wanted.outputs, experiment);
  const WaitingLine line(!wanted.outputs.quiet && !environment.caller.progress);
  return {sensitivity_of(experiment, environment.catalogue, {.stop = environment.caller.stop},
                         wanted.jobs),
          sensitivity_report};
}

int sensitivity(const Arguments& arguments, const Environment& environment) {
  const Wanted wanted = read_options(arguments);
  write_outcome(asked(wanted, environment), wanted.outputs);
  return 0;
}

std::unique_ptr<Outcome> ask(const Arguments& arguments, const Environment& environment) {
  return std::make_unique<SensitivityOutcome>(asked(read_options(arguments), environment));
}

}  // namespace

const Command command::sensitivity_command{
    .name = "sensitivity",
    .help = help_sensitivity,
    .run = sensitivity,
    .ask = ask,
    .words = [](const config::Catalogue& catalogue) { return catalogue.names("experiments"); }};

}  // namespace pipewright::cli
