#include "study/sweep_point.hpp"

#include <algorithm>

#include "report/csv.hpp"
#include "report/json.hpp"
#include "result/objectives.hpp"
#include "study/prepare.hpp"

namespace pipewright {

SweepRun described(const Study& study, const StudyPoint& point, const config::Value& experiment) {
  SweepRun run{.point = point.index};
  run.settings.resize(study.paths.size());
  for (const Setting& setting : point.settings) {
    const auto path = std::find(study.paths.begin(), study.paths.end(), setting.path);
    run.settings[static_cast<size_t>(path - study.paths.begin())] =
        setting.path == "schedule" ? schedule_name(setting.value) : one_line(setting.value);
  }
  if (const config::Value* schedule = experiment.find("schedule"))
    run.schedule = schedule_name(*schedule);
  return run;
}

SweepRun refused(SweepRun run, const std::string& reason) {
  run.reason = reason;
  run.csv = csv_line(run.schedule, reason);
  return run;
}

SweepRun simulated(const Study& study, const StudyPoint& point, const config::Catalogue& catalogue,
                   const RunOptions& options) {
  const config::Value experiment = experiment_of(study, point);
  SweepRun run = described(study, point, experiment);
  try {
    RunResult result = run_experiment(experiment, catalogue, options).result;
    result.cost = {};  // the same bytes whenever it runs
    run.feasible = result.feasible;
    for (const std::string_view name : objective_names())
      run.objectives.push_back(objective_value(result, name));
    run.csv = csv_line(result);
    run.json = json_text(result);
    return run;
  } catch (const Misfit& misfit) {
    return refused(std::move(run), misfit.message());
  } catch (const Failure& failure) {
    return refused(std::move(run), failure.what());
  }
}

}  // namespace pipewright
