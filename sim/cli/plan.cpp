#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/other_kind.hpp"
#include "cli/output.hpp"
#include "cli/output_files.hpp"
#include "cli/registry.hpp"
#include "cli/waiting_line.hpp"
#include "cli/written_job.hpp"
#include "cli/written_plan.hpp"
#include "cli/yaml_file.hpp"
#include "config/emit.hpp"
#include "experiment/device_mesh.hpp"
#include "experiment/document_paths.hpp"
#include "report/csv/plan.hpp"
#include "report/io/atomic_file.hpp"
#include "report/json/plan.hpp"
#include "report/page/plan.hpp"
#include "report/text/plan.hpp"
#include "search/planner.hpp"

namespace pipewright::cli {
namespace {

struct Wanted {
  Outputs outputs;
  std::string experiment, output, minimize, schedules;
  std::vector<std::string> assignments, planners, limits, pinned, jobs_to_write;
  std::vector<config::Value> common;  ///< the schedules of the frameworks that are written for
  std::vector<std::string> habits;    ///< assignments that hold where these are written for
  int simulations = 100, jobs = 0, top = 1;
  uint64_t seed = 0;
};

Wanted read_options(const Arguments& arguments) {
  Wanted wanted;
  options::options_description description;
  add_format(description, wanted.outputs);
  auto add = description.add_options();
  add("experiment", options::value(&wanted.experiment));
  add("planner", options::value(&wanted.planners)->composing());
  add("minimize", options::value(&wanted.minimize)->default_value("time"));
  add("subject-to", options::value(&wanted.limits)->composing());
  add("schedules", options::value(&wanted.schedules));
  add("simulations", options::value(&wanted.simulations)->default_value(100));
  add("top", options::value(&wanted.top)->default_value(1));
  add("pin", options::value(&wanted.pinned)->composing());
  add("output,o", options::value(&wanted.output));
  add("set", options::value(&wanted.assignments)->composing());
  add("write", options::value(&wanted.jobs_to_write)->composing());
  add("json", options::value(&wanted.outputs.json));
  add("csv", options::value(&wanted.outputs.csv));
  add("html", options::value(&wanted.outputs.html));
  add("jobs", options::value(&wanted.jobs)->default_value(0));
  add("seed", options::value(&wanted.seed)->default_value(0));
  add("quiet,q", options::bool_switch(&wanted.outputs.quiet));
  parse(arguments, description, "experiment", 1);
  if (wanted.experiment.empty()) throw InputError("plan needs an EXPERIMENT");
  if (wanted.simulations < 1) throw InputError("--simulations must be at least one");
  if (wanted.top < 1 || wanted.top > 1000)
    throw InputError("--top must be a number of plans from 1 to 1000");
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

/// The plans that a page shows, whether or not --top lists as many.
constexpr int shown_on_a_page = 40;

/// Gives the experiment the habits of the frameworks that are written for. Where it says itself
/// what no plan decides, it is right.
void take_habits(const Wanted& wanted, search::Problem& problem) {
  for (const std::string& habit : wanted.habits) {
    const std::string path = habit.substr(0, habit.find('='));
    if (!search::is_decided(path) && problem.experiment.find(path)) continue;
    config::set_path(problem.experiment, habit);
    problem.habits.push_back(habit);
  }
}

search::Problem problem_of(const Wanted& wanted, const std::vector<WrittenJob>& jobs,
                           const Environment& environment) {
  const config::Value given = load_experiment(wanted.experiment, wanted.assignments, environment);
  search::Problem problem{.experiment = environment.catalogue.resolve("experiments", given),
                          .catalogue = environment.catalogue,
                          .run = {.seed = wanted.seed, .stop = environment.caller.stop},
                          .goal = goal_of(wanted.minimize),
                          .simulations = wanted.simulations,
                          .jobs = wanted.jobs};
  check_output_files(wanted.outputs, problem.experiment);
  spell_out_mesh(problem.experiment);  // a plan decides degrees anew
  refuse_without_schedule(problem.experiment, "plan");
  refuse_without_layers(problem.experiment, "plan");
  for (const std::string& limit : wanted.limits)
    problem.limits.push_back(search::read_limit(limit));
  keep_deadline(problem);
  problem.keep = wanted.outputs.html.empty() ? wanted.top : std::max(wanted.top, shown_on_a_page);
  problem.pinned = search::pinned_keys(problem.experiment, wanted.pinned, wanted.assignments);
  take_habits(wanted, problem);
  if (!jobs.empty())
    problem.refusal = [&jobs, &catalogue = environment.catalogue](const config::Value& experiment) {
      return refusal_of(jobs, experiment, catalogue);
    };
  problem.schedules = wanted.common;
  if (!wanted.schedules.empty()) problem.schedules = read_schedules(wanted.schedules);
  return problem;
}

std::vector<std::string> names_of(const Wanted& wanted) {
  if (wanted.planners.empty()) return {"exhaustive"};
  for (const std::string& name : wanted.planners)
    if (name == "all") return {};
  return wanted.planners;
}

/// Returns the folder that paths in a file of that name are seen from.
std::filesystem::path folder_of(const std::string& file) {
  return std::filesystem::absolute(file == "-" ? std::string("x") : file)
      .lexically_normal()
      .parent_path();
}

/// Returns the best plan as an experiment at `output`, with what an import said of the job: files
/// that it names are found from there.
std::string written_plan(config::Value best, const std::string& output,
                         const std::string& experiment,
                         const std::vector<std::string>& assignments) {
  if (folder_of(output) != folder_of(experiment)) make_paths_absolute(best);
  return head_of_import(experiment, assignments) + config::to_yaml(best);
}

constexpr const char* none_can_be_taken = "no plan was written, as none can be taken";

/// The plans for an experiment of that name.
class PlanOutcome : public ReportedOutcome<PlanResult> {
 public:
  PlanOutcome(PlanResult result, const Wanted& wanted)
      : ReportedOutcome(std::move(result), plan_report),
        experiment_(wanted.experiment),
        assignments_(wanted.assignments) {}
  void json(std::ostream& out) const override { out << json_text(seen_from_here()); }
  void html(std::ostream& out) const override { write_html(seen_from_here(), out); }
  /// Writes the best plan.
  void save_experiment(const std::string& path) const override {
    const std::optional<size_t> taken = value().best;
    if (!taken) throw Failure(none_can_be_taken);
    const config::Value& best = value().proposals[*taken].experiment;
    write_yaml(path, written_plan(best, path, experiment_, assignments_), "experiment");
  }

 private:
  /// Returns the result whose plans find their files from the current folder.
  PlanResult seen_from_here() const {
    PlanResult result = value();
    if (folder_of(experiment_) == folder_of("-")) return result;
    const auto see = [](config::Document& experiment) {
      config::Value seen = experiment;
      make_paths_absolute(seen);
      experiment = std::move(seen);
    };
    for (Proposal& one : result.proposals) {
      see(one.experiment);
      for (Proposal& next : one.runners_up) see(next.experiment);
    }
    for (Proposal& one : result.top) see(one.experiment);
    return result;
  }

  std::string experiment_;
  std::vector<std::string> assignments_;
};

PlanOutcome planned(const Wanted& wanted, const std::vector<WrittenJob>& jobs,
                    const Environment& environment) {
  const WaitingLine line(!wanted.outputs.quiet && !environment.caller.progress);
  PlanResult result = search::plan(problem_of(wanted, jobs, environment), names_of(wanted));
  const auto listed = static_cast<size_t>(wanted.top > 1 ? wanted.top : 0);
  if (result.top.size() > listed) result.top.resize(listed);
  result.minimize = wanted.minimize;
  return {std::move(result), wanted};
}

bool begins(const std::vector<std::string>& texts, std::string_view start) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& one) { return one.starts_with(start); });
}

/// Tells whether the user sets or pins what is at a path, or the map that it is in.
bool is_said(const Wanted& wanted, std::string_view path) {
  const std::string map(path.substr(0, path.find('.')));
  return begins(wanted.assignments, std::string(path) + "=") ||
         begins(wanted.assignments, map + "=") || begins(wanted.pinned, path);
}

/// Keeps the plan to what the frameworks that are written for can do, where the user does not say
/// it.
void keep_to(const std::vector<WrittenJob>& jobs, Wanted& wanted) {
  const bool has_schedules = !wanted.schedules.empty() || begins(wanted.assignments, "schedule") ||
                             begins(wanted.pinned, "schedule");
  if (!has_schedules) wanted.common = common_schedules(jobs);
  for (const WrittenJob& job : jobs)
    for (const std::string_view setting : job.format->writing.settings)
      if (!is_said(wanted, setting.substr(0, setting.find('='))))
        wanted.habits.emplace_back(setting);
}

int plan_experiment(const Arguments& arguments, const Environment& environment) {
  Wanted wanted = read_options(arguments);
  const std::vector<WrittenJob> jobs = written_jobs(wanted.jobs_to_write);
  keep_to(jobs, wanted);
  const PlanOutcome outcome = planned(wanted, jobs, environment);
  const PlanResult& result = outcome.value();
  if (result.best) {
    const config::Value& best = result.proposals[*result.best].experiment;
    write_plan(jobs, best, wanted.experiment, wanted.assignments, environment.catalogue);
    if (!wanted.output.empty()) outcome.save_experiment(wanted.output);
  }
  if (wanted.output == "-" && result.best)
    wanted.outputs.quiet = true, wanted.outputs.format = "text";
  write_outcome(outcome, wanted.outputs);
  const bool writes = !wanted.output.empty() || !jobs.empty();
  if (result.best || !writes) return 0;  // that nothing fits is a result
  throw Failure(none_can_be_taken);
}

std::unique_ptr<Outcome> ask(const Arguments& arguments, const Environment& environment) {
  Wanted wanted = read_options(arguments);
  const std::vector<WrittenJob> jobs = written_jobs(wanted.jobs_to_write);
  keep_to(jobs, wanted);
  auto outcome = std::make_unique<PlanOutcome>(planned(wanted, jobs, environment));
  const PlanResult& result = outcome->value();
  if (!result.best && !jobs.empty()) throw Failure(none_can_be_taken);
  if (result.best)
    write_plan(jobs, result.proposals[*result.best].experiment, wanted.experiment,
               wanted.assignments, environment.catalogue);
  return outcome;
}

}  // namespace

const Command command::plan_command{
    .name = "plan",
    .help = help_plan,
    .run = plan_experiment,
    .ask = ask,
    .words = [](const config::Catalogue& catalogue) { return catalogue.names("experiments"); }};

}  // namespace pipewright::cli
