#include "calibrate/live/real_replay.hpp"
#include "run/result_of.hpp"

#include <algorithm>

#include "calibrate/live/work/pass_reads.hpp"
#include "calibrate/live/work/real_work.hpp"
#include "calibrate/train/reference/reference.hpp"
#include "engine/engine.hpp"
#include "run/uncertainty.hpp"

namespace pipewright::live {
namespace {

std::shared_ptr<RealWork> work_of(const RealJob& job, LiveDevice& device) {
  return std::make_shared<RealWork>(job.program, job.prepared.schedule, job.model, job.training,
                                    device.kernels());
}

LiveRun run_once(const RealJob& job, LiveDevice& device, const Timeline& predicted) {
  const std::shared_ptr<RealWork> work = work_of(job, device);
  LiveRun run;
  run.timeline = device.run(job.program, *work, predicted);
  run.trained = work->result();
  run.iteration = iteration_time(job.program, run.timeline, job.prepared.schedule);
  return run;
}

}  // namespace

LiveRun median_run(int repetitions, const std::function<LiveRun()>& once, Replay& replay) {
  std::vector<LiveRun> runs;
  once();
  for (int i = 0; i < repetitions; ++i) runs.push_back(once());
  std::ranges::sort(runs, {}, &LiveRun::iteration);
  for (const LiveRun& run : runs) replay.iterations_s.push_back(in_seconds(run.iteration));
  return std::move(runs[runs.size() / 2]);
}

void compare(RealJob job, Timeline predicted, LiveRun run, Replay& replay) {
  replay.kinds = accuracy(job.program, predicted, run.timeline);
  replay.predicted = result_of(
      job.prepared, executed_as_folded(job.prepared, std::move(job.program), std::move(predicted)));
  RunResult& predicted_run = replay.predicted.result;
  predicted_run.ranges.uncertainty = uncertainty_of_given(predicted_run.metrics.iteration);
  replay.measured = measured_run(replay.predicted, std::move(run.timeline));
}

Numerics check_numerics(const RealJob& job, const train::Trained& trained,
                        kernels::Kernels& kernels, const std::function<void()>& after_each) {
  const bool synchronous = job.prepared.schedule.synchronous;
  const train::Trained alone = train::train_reference(
      job.model, job.training, reads_of(job.prepared.schedule), kernels, after_each);
  return {synchronous ? "training on one device"
                      : "training on one device with the delays of the schedule's weight versions",
          train::relative_difference(trained, alone), trained.losses};
}

Run simulated(const RealJob& job) {
  const std::vector<Time> durations = price(job.program, job.prepared.prices);
  return result_of(job.prepared,
                   executed_as_folded(job.prepared, job.program, simulate(job.program, durations)));
}

Replay replay_real(RealJob job, LiveDevice& device, const OpSource& source, int repetitions) {
  Replay replay = replay_on(device, "real");
  replay.timing = "real compute, " + describe(source);
  const OpTimes times =
      times_from(source, job.program, device, simulated(job).timeline, [&](LiveDevice& on) {
        return measure_ops(job.program, on, on.copies_at_once(job.program),
                           [&](int) { return work_of(job, on); });
      });
  Timeline predicted = device.predict(job.program, times);
  LiveRun median = median_run(
      repetitions, [&] { return run_once(job, device, predicted); }, replay);
  replay.numerics = check_numerics(job, median.trained, device.kernels());
  compare(std::move(job), std::move(predicted), std::move(median), replay);
  return replay;
}

}  // namespace pipewright::live
