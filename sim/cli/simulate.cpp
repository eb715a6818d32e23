#include <fmt/format.h>

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/registry.hpp"
#include "simulate/run.hpp"

namespace pipewright::cli {
namespace {

int simulate(const Arguments& arguments, const Environment& environment) {
  CommonOptions common;
  options::options_description description;
  add_common(description, common);
  std::string name;
  description.add_options()("experiment", options::value(&name));
  parse(arguments, description, "experiment", 1);
  if (name.empty()) throw InputError("simulate needs an EXPERIMENT: a file or a catalogue name");
  const config::Value experiment = load_experiment(name, common.assignments, environment);
  const Run run = run_experiment(experiment, environment.catalogue, common.run);
  write_run(run, common);
  return 0;
}

}  // namespace

const Command command::simulate_command{"simulate", help_simulate, simulate};

}  // namespace pipewright::cli
