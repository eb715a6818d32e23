#include "study/sensitivity.hpp"

#include <fmt/format.h>

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "report/io/atomic_file.hpp"
#include "report/json/sensitivity.hpp"
#include "report/text/sensitivity.hpp"

namespace pipewright::cli {
namespace {

int ask(const Arguments& arguments, const Environment& environment) {
  std::string name, json;
  std::vector<std::string> assignments;
  int jobs = 0;
  bool quiet = false;
  options::options_description description;
  auto add = description.add_options();
  add("experiment", options::value(&name));
  add("set", options::value(&assignments)->composing());
  add("json", options::value(&json));
  add("jobs", options::value(&jobs)->default_value(0));
  add("quiet,q", options::bool_switch(&quiet));
  parse(arguments, description, "experiment", 1);
  if (name.empty()) throw InputError("sensitivity needs an EXPERIMENT");
  if (jobs < 0) throw InputError("--jobs must not be below zero");
  const config::Value experiment = load_experiment(name, assignments, environment);
  const Sensitivity result = sensitivity_of(experiment, environment.catalogue, {}, jobs);
  if (!json.empty()) write_file(json, json_text(result));
  if (!quiet && json != "-") fmt::print("{}", sensitivity_text(result));
  return 0;
}

}  // namespace

const Command command::sensitivity_command{"sensitivity", help_sensitivity, ask};

}  // namespace pipewright::cli
