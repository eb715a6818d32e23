#include "calibrate/live/real_over_processes.hpp"

#include <cstring>

#include "base/error.hpp"
#include "calibrate/live/alone_over_processes.hpp"
#include "calibrate/live/executor/alone.hpp"
#include "calibrate/live/executor/shared_cores.hpp"
#include "calibrate/live/work/real_work.hpp"
#include "engine/engine.hpp"

namespace pipewright::live {
namespace {

constexpr int warm_ups = 1, samples = 3;  // of every op's measurement

/// Runs ops and lets the others hear between them that this rank lives.
class HeardWork final : public DeviceWork {
 public:
  HeardWork(DeviceWork& work, transport::Session& session) : work_(work), session_(session) {}
  void compute(OpId op) override {
    work_.compute(op);
    ensure(!session_.poll(), "nobody sends while ops are measured");
  }
  void communicate(OpId op) override { work_.communicate(op); }

 private:
  DeviceWork& work_;
  transport::Session& session_;
};

struct Measured {
  OpTimes times;
  std::vector<Extent> extents;  ///< by op, of messages; none where nobody has to know them
};

/// All ranks' ops, in this process; `extents` gets those of messages.
std::vector<Time> measure_all(const RealJob& job, transport::Session& session, LiveDevice& device,
                              std::vector<Extent>& extents) {
  std::vector<Timeline> timelines;
  for (int i = 0; i < warm_ups + samples; ++i) {
    RealWork work(job.program, job.prepared.schedule, job.model, job.training, device.kernels());
    HeardWork heard(work, session);
    DeviceWork* const copy = &heard;
    std::vector<Timeline> run = device.run_alone(job.program, {&copy, 1});
    if (i >= warm_ups) timelines.push_back(std::move(run.front()));
    extents = work.extents();
  }
  return typical_durations(job.program, timelines);
}

/// The first rank of each host alone, then as many ranks beside it as the host has cores.
Measured measure_in_turns(const RealJob& job, transport::Session& session, LiveDevice& device,
                          const Hosts& hosts) {
  const auto own = static_cast<uint32_t>(session.rank());
  const int copies = hosts.at_once(own), place = hosts.place(own);
  std::vector<Time> alone, together;
  Measured measured;
  if (place == 0) alone = measure_all(job, session, device, measured.extents);
  session.exchange({});
  if (copies > 1 && place < copies) together = measure_all(job, session, device, measured.extents);
  if (place == 0) measured.times = {alone, shares_of_memory(alone, together, copies)};
  return measured;
}

/// Measures ops. Compute takes as long as on the first rank of its host, which a rank with a GPU is
/// itself.
Measured measure(const RealJob& job, transport::Session& session, LiveDevice& device,
                 const Hosts& hosts, std::vector<Time> durations) {
  Measured measured = measure_in_turns(job, session, device, hosts);
  const OpTimes& own = measured.times;
  const auto times =
      session.exchange(transport::bytes_of(own.alone.data(), own.alone.size() * sizeof(Time)));
  const auto shares =
      session.exchange(transport::bytes_of(own.memory.data(), own.memory.size() * sizeof(double)));
  OpTimes all{std::move(durations), std::vector<double>(job.program.ops.size())};
  const auto first_on = [&](uint32_t host) {
    return static_cast<size_t>(std::find(hosts.of_rank.begin(), hosts.of_rank.end(), host) -
                               hosts.of_rank.begin());
  };
  for (OpId op = 0; op < job.program.ops.size(); ++op) {
    const OpKind kind = job.program.type(op).kind;
    if (kind != OpKind::compute && kind != OpKind::step) continue;
    const size_t rank = first_on(hosts.of_rank[job.program.ops[op].rank]);
    std::memcpy(&all.alone[op], times[rank].data() + op * sizeof(Time), sizeof(Time));
    std::memcpy(&all.memory[op], shares[rank].data() + op * sizeof(double), sizeof(double));
  }
  return {std::move(all), std::move(measured.extents)};
}

LiveRun run_once(const RealJob& job, transport::Session& session, LiveDevice& device,
                 const std::vector<Extent>& extents, const Timeline& predicted) {
  RealWork work(job.program, job.prepared.schedule, job.model, job.training, device.kernels(),
                static_cast<uint32_t>(session.rank()), extents);
  LiveRun run;
  run.timeline = device.run(job.program, work, predicted);
  std::vector<TrainedParts> parts;
  for (const auto& bytes : session.exchange(bytes_of(work.parts())))
    parts.push_back(parts_of(bytes));
  run.trained = assemble(job.model, job.training, parts);
  run.iteration = iteration_time(job.program, run.timeline, job.prepared.schedule);
  return run;
}

}  // namespace

Replay replay_real_over(RealJob job, const Run& simulated, transport::Session& session,
                        LiveDevice& device, const OpSource& source, int repetitions) {
  Replay replay = replay_on(device, "real");
  replay.timing = "real compute, " + describe(source);
  const Hosts hosts = hosts_of(session, device);
  // Even what is not timed has to run once: it tells how large messages are.
  const Measured measured = measure(job, session, device, hosts, durations_of(simulated.timeline));
  const OpTimes times = times_from(source, job.program, device, simulated.timeline,
                                   [&](LiveDevice&) { return measured.times; });
  Timeline predicted = simulate_on_hosts(job.program, times, hosts);
  LiveRun median = median_run(
      repetitions, [&] { return run_once(job, session, device, measured.extents, predicted); },
      replay);
  const auto heard = [&] { ensure(!session.poll(), "nobody sends between runs"); };
  if (session.is_first())
    replay.numerics = check_numerics(job, median.trained, device.kernels(), heard);
  compare(std::move(job), std::move(predicted), std::move(median), replay);
  return replay;
}

}  // namespace pipewright::live
