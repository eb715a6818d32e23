// peers: {swarm: {in_flight: 16, rebalance: 5 min}}
#include <fmt/format.h>

#include <map>

#include "base/clock.hpp"
#include "base/required.hpp"
#include "config/catalogue.hpp"
#include "engine/swarm.hpp"
#include "machine/run_options.hpp"
#include "peers/peers.hpp"
#include "peers/swarm_program.hpp"
#include "plan/segments_time.hpp"
#include "result/fit.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "run/rates.hpp"

namespace pipewright {
namespace {

using config::Value;

/// The times that a device takes for a stage, asked for again and again.
class PassTimes {
 public:
  explicit PassTimes(const Prepared& prepared) : p_(prepared) {}

  Time operator()(int32_t device, int stage, bool backward) {
    const int32_t kind = p_.prices.class_of(device);
    const double slowdown = p_.prices.slowdown_of(device);
    const auto [found, is_new] = times_.try_emplace({kind, slowdown, stage, backward});
    if (is_new) {
      const StageWork& work = p_.work.stages[static_cast<size_t>(stage)];
      const Time time = segments_time(backward ? work.backward : work.forward, p_.prices,
                                      p_.grid.meshes.front(), device);
      found->second = seconds(in_seconds(time) * slowdown);
    }
    return found->second;
  }

 private:
  const Prepared& p_;
  std::map<std::tuple<int32_t, double, int, bool>, Time> times_;
};

Bytes gradients(const Prepared& prepared, int stage) {
  Bytes all;
  for (const CollectiveWork& bucket : prepared.work.updates[static_cast<size_t>(stage)].reduce)
    all += bucket.bytes;
  return all;
}

SwarmUpdateTime update_time(const Prepared& prepared, int stage, const std::vector<int>& peers) {
  if (peers.empty()) return {};
  const std::vector<int32_t> devices(peers.begin(), peers.end());
  SwarmUpdateTime time;
  if (devices.size() > 1)
    time.reduce =
        prepared.prices.collective(CollectiveKind::all_reduce, devices, gradients(prepared, stage));
  for (const Work& work : prepared.work.updates[static_cast<size_t>(stage)].kernels)
    time.step += prepared.prices.compute(work, devices.front());
  return time;
}

/// Longer than the clock is never.
Time within_clock(double s) { return s < in_seconds(longest_time) / 2 ? seconds(s) : longest_time; }

SwarmPlan plan_of(const Experiment& experiment, const Prepared& prepared, PassTimes& times,
                  const Value& value, uint64_t seed) {
  const config::Fields fields(value, "swarm", keys::swarm);
  const Grid& grid = prepared.grid;
  SwarmPlan plan{.stages = grid.pipeline(),
                 .micro_batches = prepared.schedule.micro_batches * grid.meshes.front().replicas(),
                 .steps = experiment.iterations,
                 .seed = seed};
  for (int device = 0; device < prepared.devices.count(); ++device)
    plan.stage_of.push_back(device % grid.pipeline());
  plan.in_flight = static_cast<int>(
      fields.integer("in_flight", 2 * int64_t{prepared.devices.count()}, 1, 1 << 20));
  plan.rebalance = fields.time("rebalance", longest_time);
  if (plan.rebalance == Time{}) fields.at("rebalance").fail("must be more than no time");
  if (experiment.failures) {
    plan.mtbf = within_clock(experiment.failures->device_mtbf_s);
    plan.downtime = within_clock(experiment.failures->restart_time_s);
  }
  for (int stage = 0; stage < plan.stages; ++stage) {
    const StageWork& work = prepared.work.stages[static_cast<size_t>(stage)];
    plan.forward_output.push_back(work.forward_output);
    plan.backward_output.push_back(work.backward_output);
    plan.weights.push_back(gradients(prepared, stage));
  }
  plan.compute = [&times](int peer, int stage, bool backward) {
    return times(peer, stage, backward);
  };
  plan.transfer = [&prepared](int from, int to, Bytes bytes) {
    return prepared.prices.transfer(from, to, bytes);
  };
  plan.update = [&prepared](int stage, const std::vector<int>& peers) {
    return update_time(prepared, stage, peers);
  };
  return plan;
}

void add_metrics(const SwarmRun& swarm, const Prepared& prepared, Run& run) {
  Metrics& metrics = run.result.metrics;
  metrics.makespan = metrics.max_span = swarm.step_ends.back();
  metrics.iteration = {metrics.makespan.ps / static_cast<int64_t>(swarm.step_ends.size())};
  measure_communication(run.program, run.timeline, metrics);
  std::vector<Time> busy(static_cast<size_t>(prepared.grid.pipeline()));
  for (const SwarmSpan& span : swarm.spans)
    busy[static_cast<size_t>(span.stage)] += span.end - span.start;
  const Window window{Time{}, metrics.makespan, metrics.iteration};
  const std::vector<Breakdown> by_peer =
      accounts(run.program, run.timeline, window, SharesByPass{});
  metrics.breakdown = mean_account(run.program, by_peer);
  for (int peer = 0; peer < prepared.devices.count(); ++peer)
    metrics.busy.push_back(
        {.device = peer, .computing = by_peer[static_cast<size_t>(peer)].computing()});
  const int replicas = prepared.grid.meshes.front().replicas();
  for (int stage = 0; stage < prepared.grid.pipeline(); ++stage) {
    RankResult& rank = metrics.ranks.emplace_back();
    rank.rank = stage;
    rank.stages = {stage};
    rank.span = metrics.makespan;
    rank.compute = {busy[static_cast<size_t>(stage)].ps / replicas};
    rank.idle = metrics.makespan - rank.compute;
    rank.memory = prepared.work.static_memory[static_cast<size_t>(stage)];
    const StageWork& work = prepared.work.stages[static_cast<size_t>(stage)];
    rank.memory.activations = work.activation + work.transient;
    rank.peak_in_flight = 1;
    if (!prepared.work.layers.empty())
      rank.layers.push_back(prepared.work.layers[static_cast<size_t>(stage)]);
    std::vector<WeighedBreakdown> of_rank;
    for (int device = stage; device < prepared.devices.count();
         device += prepared.grid.pipeline()) {
      rank.devices.push_back(device);
      of_rank.push_back({by_peer[static_cast<size_t>(device)]});
    }
    rank.breakdown = mean(of_rank);
    rank.capacity = prepared.devices.memory(rank.devices);
  }
}

}  // namespace

Run run_swarm_experiment(const Experiment& experiment, const Value& value,
                         const config::Catalogue& catalogue, const RunOptions& options) {
  if (experiment.parallel.tensor > 1 || experiment.parallel.context > 1)
    experiment.misfit("parallel", "a peer of a swarm is one device: tensor and context are 1");
  if (experiment.batch.micro < 1 || experiment.synthetic)
    experiment.misfit("model", "peers need a model made of layers");
  const Prepared prepared =
      prepare(under_schedule(experiment, config::scalar("1f1b")), catalogue, options);
  PassTimes times(prepared);
  const ClockTime begin = now();
  const SwarmRun swarm = run_swarm(plan_of(experiment, prepared, times, value, options.seed));
  Run run;
  run.result.cost.wall_s = seconds_since(begin);
  run.result.cost.events = swarm.events;
  run.result.schedule = "swarm";
  run.result.experiment = without_schedule(prepared.record.resolved,
                                           required(experiment.peers, "an experiment of peers"));
  run.result.provenance = prepared.record.provenance;
  SwarmTimeline written = swarm_timeline(swarm, prepared.devices.count(), prepared.grid.pipeline());
  run.program = std::move(written.program);
  run.timeline = std::move(written.timeline);
  add_metrics(swarm, prepared, run);
  add_fit(run.result);
  add_rates(prepared, run.result);
  run.result.notes.push_back(
      fmt::format("{} preemptions, {} moves between stages, {} passes done again",
                  swarm.preemptions, swarm.moves, swarm.repeated));
  return run;
}

}  // namespace pipewright
