#include <fmt/format.h>

#include <algorithm>

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "config/emit.hpp"
#include "report/csv/plan.hpp"
#include "report/io/atomic_file.hpp"
#include "report/json/plan.hpp"
#include "report/page/plan.hpp"
#include "report/text/plan.hpp"
#include "search/planner.hpp"

namespace pipewright::cli {
namespace {

struct Wanted {
  std::string experiment, json, csv, html, output, minimize, schedules;
  std::vector<std::string> assignments, planners, limits;
  int simulations = 100, jobs = 0;
  uint64_t seed = 0;
  bool quiet = false;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  auto add = description.add_options();
  add("experiment", options::value(&wanted.experiment));
  add("planner", options::value(&wanted.planners)->composing());
  add("minimize", options::value(&wanted.minimize)->default_value("time"));
  add("subject-to", options::value(&wanted.limits)->composing());
  add("schedules", options::value(&wanted.schedules));
  add("simulations", options::value(&wanted.simulations)->default_value(100));
  add("output,o", options::value(&wanted.output));
  add("set", options::value(&wanted.assignments)->composing());
  add("json", options::value(&wanted.json));
  add("csv", options::value(&wanted.csv));
  add("html", options::value(&wanted.html));
  add("jobs", options::value(&wanted.jobs)->default_value(0));
  add("seed", options::value(&wanted.seed)->default_value(0));
  add("quiet,q", options::bool_switch(&wanted.quiet));
  parse(arguments, description, "experiment", 1);
  if (wanted.experiment.empty()) throw InputError("plan needs an EXPERIMENT");
  if (wanted.simulations < 1) throw InputError("--simulations must be at least one");
  return wanted;
}

search::Goal goal_of(const std::string& name) {
  if (name == "time") return search::Goal::time;
  if (name == "nodes") return search::Goal::nodes;
  if (name == "cost") return search::Goal::cost;
  throw InputError(fmt::format("--minimize '{}' must be time, nodes or cost", name));
}

/// The deadline of the training is a limit as if it were given, where no other time is.
void keep_deadline(search::Problem& problem) {
  const config::Value* training = problem.experiment.find("training");
  const config::Value* deadline = training ? training->find("deadline") : nullptr;
  if (!deadline ||
      std::ranges::count(problem.limits, "time_to_train", &search::Limit::quantity) > 0)
    return;
  problem.limits.push_back({"time_to_train", config::as_seconds(*deadline)});
}

search::Problem problem_of(const Wanted& wanted, const Environment& environment) {
  const config::Value given = load_experiment(wanted.experiment, wanted.assignments, environment);
  search::Problem problem{.experiment = environment.catalogue.resolve("experiments", given),
                          .catalogue = environment.catalogue,
                          .run = {.seed = wanted.seed},
                          .goal = goal_of(wanted.minimize),
                          .simulations = wanted.simulations,
                          .jobs = wanted.jobs};
  for (const std::string& limit : wanted.limits)
    problem.limits.push_back(search::read_limit(limit));
  keep_deadline(problem);
  if (!wanted.schedules.empty()) problem.schedules = read_schedules(wanted.schedules);
  return problem;
}

std::vector<std::string> names_of(const Wanted& wanted) {
  if (wanted.planners.empty()) return {"exhaustive"};
  for (const std::string& name : wanted.planners)
    if (name == "all") return {};
  return wanted.planners;
}

int plan_experiment(const Arguments& arguments, const Environment& environment) {
  const Wanted wanted = read_options(arguments);
  PlanResult result = search::plan(problem_of(wanted, environment), names_of(wanted));
  result.minimize = wanted.minimize;
  if (!wanted.output.empty() && result.best) {
    write_file(wanted.output, config::to_yaml(result.proposals[*result.best].experiment));
  }
  if (!wanted.json.empty()) write_file(wanted.json, json_text(result));
  if (!wanted.csv.empty()) write_file(wanted.csv, csv_text(result));
  if (!wanted.html.empty())
    write_file(wanted.html, [&](std::ostream& out) { write_html(result, out); });
  const bool prints =
      wanted.json != "-" && wanted.csv != "-" && wanted.html != "-" && wanted.output != "-";
  if (!wanted.quiet && prints) fmt::print("{}", plan_text(result));
  return 0;  // that nothing fits is a result
}

}  // namespace

const Command command::plan_command{"plan", help_plan, plan_experiment};

}  // namespace pipewright::cli
