#include "calibrate/live/synthetic_replay.hpp"

#include "calibrate/live/alone_over_processes.hpp"
#include "calibrate/live/executor/alone.hpp"
#include "calibrate/live/work/synthetic_work.hpp"
#include "engine/engine.hpp"

namespace pipewright::live {
namespace {

std::string timing(const OpSource& source) {
  return "kernels of the layers' shapes, " + describe(source);
}

/// Makes as many copies as are asked for, each once.
class SyntheticCopies {
 public:
  SyntheticCopies(const Program& program, kernels::Kernels& kernels)
      : program_(program), kernels_(kernels) {}
  std::shared_ptr<SyntheticWork> copy(int number) {
    while (made_.size() <= static_cast<size_t>(number))
      made_.push_back(std::make_shared<SyntheticWork>(program_, kernels_));
    return made_[static_cast<size_t>(number)];
  }

 private:
  const Program& program_;
  kernels::Kernels& kernels_;
  std::vector<std::shared_ptr<SyntheticWork>> made_;
};

OpTimes measure_kernels(const Program& program, LiveDevice& device) {
  SyntheticCopies copies(program, device.kernels());
  return measure_ops(program, device, copies_that_fit(program),
                     [&](int number) { return copies.copy(number); });
}

/// Compute takes as long as it was `measured` to, all else as in `run`.
Run waiting_as(Run run, const OpTimes& measured) {
  std::vector<Time> durations = durations_of(run.timeline);
  for (OpId op = 0; op < durations.size(); ++op) {
    const OpKind kind = run.program.type(op).kind;
    if (kind == OpKind::compute || kind == OpKind::step) durations[op] = measured.alone[op];
  }
  Timeline timeline = simulate(run.program, durations);
  return predicted_as(std::move(run), std::move(timeline));
}

}  // namespace

Run with_measured_kernels(Run run, LiveDevice& device) {
  const OpTimes times = measure_kernels(run.program, device);
  return waiting_as(std::move(run), times);
}

Run with_measured_kernels(Run run, transport::Session& session, LiveDevice& device) {
  SyntheticWork work(run.program, device.kernels(), static_cast<uint32_t>(session.rank()));
  const OpTimes times = measure_over_processes(
      run.program, work, device, session, hosts_of(session, device), durations_of(run.timeline));
  return waiting_as(std::move(run), times);
}

Replay replay_synthetic(Run run, LiveDevice& device, const OpSource& source, int repetitions) {
  Replay replay = replay_on(device, "synthetic");
  replay.timing = timing(source);
  const OpTimes times = times_from(source, run.program, device, run.timeline, [&](LiveDevice& on) {
    return measure_kernels(run.program, on);
  });
  Timeline predicted = device.predict(run.program, times);
  run = predicted_as(std::move(run), std::move(predicted));
  SyntheticWork work(run.program, device.kernels());
  measure_live(replay, run, work, device, repetitions);
  return replay;
}

Replay replay_synthetic_over(Run run, transport::Session& session, LiveDevice& device,
                             const OpSource& source, int repetitions) {
  const Hosts hosts = hosts_of(session, device);
  SyntheticWork work(run.program, device.kernels(), static_cast<uint32_t>(session.rank()));
  const OpTimes times = times_from(source, run.program, device, run.timeline, [&](LiveDevice& on) {
    return measure_over_processes(run.program, work, on, session, hosts,
                                  durations_of(run.timeline));
  });
  Replay replay = replay_on(device, "synthetic");
  replay.timing = timing(source);
  Timeline predicted = simulate_on_hosts(run.program, times, hosts);
  run = predicted_as(std::move(run), std::move(predicted));
  measure_live(replay, run, work, device, repetitions);
  return replay;
}

}  // namespace pipewright::live
