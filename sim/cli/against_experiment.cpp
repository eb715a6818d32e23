#include "cli/against_experiment.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "diagnose/against_prediction.hpp"
#include "experiment/experiment.hpp"
#include "simulate/run.hpp"
#include "study/anchor_fit.hpp"

namespace pipewright::cli {
namespace {

using config::Value;

/// The degrees of an experiment that was run. Those that are unlike from stage to stage are 1.
FoundParallelism degrees_of(const RunResult& result) {
  const Experiment experiment = read_experiment(result.experiment);
  if (!experiment.has_schedule()) return {};
  const auto& all = experiment.parallel;
  return {.tensor = all.tensor,
          .pipeline = static_cast<int>(result.metrics.ranks.size()),
          .data = std::max(all.data, 1),
          .context = all.context,
          .expert = all.expert};
}

}  // namespace

std::vector<std::string> add_prediction(const Value& experiment, const Environment& environment,
                                        Diagnosis& diagnosis) {
  const Run run =
      run_experiment(experiment, environment.catalogue, {.stop = environment.caller.stop});
  diagnose::hold_against(run.result.metrics, diagnosis);
  return diagnose::other_degrees(diagnosis.parallel, degrees_of(run.result));
}

AnchorFit anchor_of(const Value& experiment, const Environment& environment,
                    const Diagnosis& diagnosis) {
  MeasuredRun measured{.name = printable(diagnosis.source), .experiment = experiment};
  measured.measured.iteration_time_s = diagnosis.typical.measured_s;
  return fit_anchor({std::move(measured)}, environment.catalogue, {.stop = environment.caller.stop},
                    0);
}

}  // namespace pipewright::cli
