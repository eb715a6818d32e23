// A run of two ranks, one micro-batch and one step, all of it written down by hand: what reports
// are tested with.
#pragma once

#include "result/run_result.hpp"

namespace pipewright::test {

inline constexpr Time tiny_hop{2'000'001};  // 2 us and one picosecond: nothing may round it away

/// Forward 10 us, backward 20 us, step 1 us:
///   rank 0  F 0-10, B 44.000002-64.000002, step to 65.000002
///   rank 1  F 12.000001-22.000001, B to 42.000001, step to 43.000001
/// F holds 100 B on rank 0 and 200 B on rank 1; 64 B go forward, 32 B come back.
inline void add_tiny_program(Run& run) {
  using schedule::Pass;
  ProgramBuilder builder;
  const auto type = [&](OpType t) {
    builder.program.types.push_back(t);
    return static_cast<uint32_t>(builder.program.types.size() - 1);
  };
  const uint32_t f0 =
      type({.pass = Pass::forward, .stage = 0, .memory = {.allocates = Bytes{100}}});
  const uint32_t f1 =
      type({.pass = Pass::forward, .stage = 1, .memory = {.allocates = Bytes{200}}});
  const uint32_t b0 = type({.pass = Pass::backward, .stage = 0, .memory = {.frees = Bytes{100}}});
  const uint32_t b1 = type({.pass = Pass::backward, .stage = 1, .memory = {.frees = Bytes{200}}});
  const uint32_t down = type({.kind = OpKind::transfer, .stage = 0, .bytes = Bytes{64}});
  const uint32_t up =
      type({.kind = OpKind::transfer, .pass = Pass::backward, .stage = 1, .bytes = Bytes{32}});
  const uint32_t step0 = type({.kind = OpKind::step, .stage = 0});
  const uint32_t step1 = type({.kind = OpKind::step, .stage = 1});
  builder.program.ranks = {{.pipeline = 0, .device = 0}, {.pipeline = 1, .device = 1}};
  const LaneId lane0 = builder.add_lane(0, Stream::compute);
  const LaneId lane1 = builder.add_lane(1, Stream::compute);

  std::vector<Span>& spans = run.timeline.spans;
  Time now;
  const auto add = [&](Op op, Time start, Time length, LaneId lane) {
    const OpId id = builder.add(op);
    if (lane != none) builder.append(lane, id);
    spans.push_back({start, start, start + length});
    now = start + length;
    return id;
  };
  const OpId forward0 = add({.type = f0, .rank = 0}, now, microseconds(10), lane0);
  const OpId send = add({.type = down, .rank = 0, .peer = 1}, now, tiny_hop, none);
  const OpId forward1 = add({.type = f1, .rank = 1}, now, microseconds(10), lane1);
  const OpId backward1 = add({.type = b1, .rank = 1}, now, microseconds(20), lane1);
  add({.type = step1, .rank = 1}, now, microseconds(1), lane1);
  now -= microseconds(1);  // the gradient leaves while rank 1 steps
  const OpId send_back = add({.type = up, .rank = 1, .peer = 0}, now, tiny_hop, none);
  const OpId backward0 = add({.type = b0, .rank = 0}, now, microseconds(20), lane0);
  add({.type = step0, .rank = 0}, now, microseconds(1), lane0);
  builder.depend(forward0, send);
  builder.depend(send, forward1);
  builder.depend(backward1, send_back);
  builder.depend(send_back, backward0);
  run.timeline.executor = "simulated";
  run.program = std::move(builder).finish();
}

inline schedule::Schedule tiny_schedule() {
  schedule::Schedule schedule = schedule::make({.ranks = 2, .micro_batches = 1}, 2);
  schedule.order[0] = {schedule::forward(0, 0), schedule::backward(0, 0)};
  schedule.order[1] = {schedule::forward(1, 0), schedule::backward(1, 0)};
  return schedule;
}

/// What measure() would say of the tiny program, 1000 B of weights on each rank; by hand.
inline Metrics tiny_metrics() {
  const Time end = microseconds(65) + 2 * picoseconds(1);
  Metrics metrics;
  metrics.makespan = metrics.iteration = metrics.max_span = end;
  metrics.window = {Time{}, end, end};
  Breakdown breakdown;
  breakdown[ComputeKind::forward] = microseconds(10);
  breakdown[ComputeKind::backward] = microseconds(20);
  breakdown[ComputeKind::optimizer] = microseconds(1);
  breakdown[Traffic::pipeline] = tiny_hop;
  breakdown.bubble = end - microseconds(31) - tiny_hop;
  metrics.breakdown = breakdown;
  metrics.idle_fraction = 1 - 31e-6 / in_seconds(end);
  RankResult rank{.rank = 0,
                  .stages = {0},
                  .devices = {0},
                  .compute = microseconds(31),
                  .idle = end - microseconds(31),
                  .span = end,
                  .breakdown = breakdown};
  rank.memory = {.weights = Bytes{1000}, .activations = Bytes{100}};
  rank.peak_in_flight = rank.peak_in_flight_to_weight_gradient = 1;
  metrics.ranks.push_back(rank);
  rank.rank = 1;
  rank.simulated = 1;
  rank.stages = {1};
  rank.devices = {1};
  rank.span = microseconds(31);
  rank.memory.activations = Bytes{200};
  metrics.ranks.push_back(rank);
  metrics.communication[0] = {96, tiny_hop};
  metrics.critical_path.forward = microseconds(20);
  metrics.critical_path.backward = microseconds(40);
  metrics.critical_path.step = microseconds(1);
  metrics.critical_path.communication[0] = 2 * tiny_hop;
  metrics.bounds = {.longest_chain = end - microseconds(1), .busiest_lane = microseconds(31)};
  return metrics;
}

inline Run tiny_run() {
  Run run;
  run.schedule = tiny_schedule();
  run.result.schedule = "1f1b";
  run.result.experiment = config::parse(
      "model: {synthetic: {devices: 2, microbatches: 1, forward: 10 us, backward: 2e-5}}\n"
      "cluster: {devices: 2, link: {latency: 2.000001 us}}\n"
      "schedule: 1f1b\n",
      "tiny.yaml");
  run.result.metrics = tiny_metrics();
  run.result.rates.samples_per_s = 15384.5;
  run.result.cost = {.events = 8, .wall_s = 2e-6, .setup_s = 0.001, .peak_rss_bytes = 1 << 20};
  add_tiny_program(run);
  return run;
}

}  // namespace pipewright::test
