#include "study/sweep_point.hpp"

#include <algorithm>
#include <limits>

#include "experiment/schedule_name.hpp"
#include "machine/run_options.hpp"
#include "report/csv/result.hpp"
#include "report/json/result.hpp"
#include "result/objectives.hpp"

namespace pipewright {

namespace {

/// Returns the degree of data parallelism of a resolved experiment, given or derived; empty where
/// the job has none.
std::optional<double> data_degree(const config::Value& experiment) {
  const config::Value* parallel = experiment.find("parallel");
  const config::Value* data = parallel && parallel->is_map() ? parallel->find("data") : nullptr;
  if (!data || !data->is_scalar() || data->text == "auto") return std::nullopt;
  return config::as_number(*data, 0, std::numeric_limits<int32_t>::max());
}

/// Returns the name of the point's schedule; empty where there is none.
std::string schedule_of(const Study& study, const StudyPoint& point) {
  const config::Value* schedule = study.experiment.find("schedule");
  for (const auto& setting : point.settings) {
    if (setting->path == "schedule") {
      schedule = &setting->value;
    } else if (setting->path.starts_with("schedule.")) {
      const config::Value experiment = experiment_of(study, point);
      return schedule_name(*experiment.find("schedule"));
    }
  }
  return schedule ? schedule_name(*schedule) : "";
}

}  // namespace

SweepRun described(const Study& study, const StudyPoint& point) {
  SweepRun run{.point = point.index};
  run.settings.resize(study.paths.size());
  for (const auto& setting : point.settings) {
    const auto path = std::find(study.paths.begin(), study.paths.end(), setting->path);
    run.settings[static_cast<size_t>(path - study.paths.begin())] =
        setting->path == "schedule" ? schedule_name(setting->value) : one_line(setting->value);
  }
  run.schedule = schedule_of(study, point);
  return run;
}

SweepRun refused(SweepRun run, const std::string& reason) {
  run.reason = reason;
  return run;
}

SweepRun simulated(const Study& study, const StudyPoint& point, const config::Catalogue& catalogue,
                   const RunOptions& options) {
  const config::Value experiment = experiment_of(study, point);
  SweepRun run = described(study, point);
  try {
    RunResult result = run_experiment(experiment, catalogue, options).result;
    result.cost = {};  // the same bytes whenever it runs
    run.feasible = result.fit.feasible;
    for (const std::string_view name : objective_names())
      run.objectives.push_back(name == degree_of_data ? data_degree(result.experiment)
                                                      : objective_value(result, name));
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
