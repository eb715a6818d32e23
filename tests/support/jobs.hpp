// Jobs of a known size that speed is measured on.
#pragma once

#include <random>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {

/// 1F1B on `p` ranks and `d` replicas, F 10 ms, B 20 ms, 32 MiB between stages and 1 GiB of
/// gradients reduced over the replicas at the end.
struct PipelineJob {
  int p = 16, d = 64, m = 128;

  Program program() const {
    const Schedule schedule =
        schedule::build({.ranks = p, .micro_batches = m}, config::scalar("1f1b"));
    StageWork work{.forward = one_segment(milliseconds(10)),
                   .backward = one_segment(milliseconds(20)),
                   .forward_output = 32 * MiB,
                   .backward_output = 32 * MiB};
    UpdateWork update{.reduce = {CollectiveWork{CollectiveKind::all_reduce, Axis::data, GiB}}};
    return lower({.schedule = schedule,
                  .stages = std::vector<StageWork>(p, work),
                  .updates = std::vector<UpdateWork>(p, update),
                  .grid = grid_of(p, 1, d)});
  }
};

/// 1F1B on `t` x `p` x `d` devices with `layers` layers a stage, each with two tensor all-reduces
/// of 48 MiB in each direction; F 12 ms, B 24 ms a stage, 6 MiB between stages.
struct GridJob {
  int t = 8, p = 8, d = 8, m = 16, layers = 12;

  Program program() const {
    const Schedule schedule =
        schedule::build({.ranks = p, .micro_batches = m}, config::scalar("1f1b"));
    const auto segments = [&](Time stage_time) {
      const CollectiveWork reduce{CollectiveKind::all_reduce, Axis::tensor, 48 * MiB};
      return Segments(2 * layers, {{Work{.fixed = divide(stage_time, 2 * layers)}}, reduce});
    };
    StageWork work{.forward = segments(milliseconds(12)),
                   .backward = segments(milliseconds(24)),
                   .forward_output = 6 * MiB,
                   .backward_output = 6 * MiB};
    UpdateWork update{
        .reduce = {CollectiveWork{CollectiveKind::all_reduce, Axis::data, Bytes{5'470'000'000}}}};
    return lower({.schedule = schedule,
                  .stages = std::vector<StageWork>(p, work),
                  .updates = std::vector<UpdateWork>(p, update),
                  .grid = grid_of(p, t, d)});
  }
};

/// Times of both jobs: 10 us and 50 GB/s between any two devices, rings for collectives.
inline std::vector<Time> job_durations(const Program& program) {
  const auto message = [](int64_t bytes) {
    return microseconds(10) + Bytes{bytes} / Bandwidth{50e9};
  };
  std::vector<Time> of_type;
  for (const OpType& type : program.types) {
    Time time;
    for (const Work& work : program.works_of(type)) time += work.fixed;
    if (type.kind == OpKind::transfer) time = message(type.bytes.count);
    of_type.push_back(time);
  }
  std::vector<Time> durations;
  for (const Op& op : program.ops) {
    const OpType& type = program.types[op.type];
    Time time = of_type[op.type];
    if (type.kind == OpKind::collective) {
      const auto n = static_cast<int64_t>(program.groups[op.peer].size());
      time = 2 * (n - 1) * message(type.bytes.count / n);
    }
    durations.push_back(time);
  }
  return durations;
}

/// Each length changed by up to 5 %, so that no two ops end at the same time.
inline std::vector<Time> uneven(std::vector<Time> durations) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> factor(0.95, 1.05);
  for (Time& time : durations)
    time.ps = static_cast<int64_t>(static_cast<double>(time.ps) * factor(random));
  return durations;
}

/// The same program with a choice on every compute lane, though its dependencies leave only one:
/// an event engine has to go through the queue for each op.
inline Program with_choices(const Program& program) {
  ProgramBuilder builder;
  builder.program.ranks = program.ranks;
  builder.program.types = program.types;
  builder.program.works = program.works;
  builder.program.groups = program.groups;
  for (Op op : program.ops) {
    op.lane = none;
    builder.add(op);
  }
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    const bool compute = program.lanes[lane].stream == Stream::compute;
    builder.add_lane(program.lanes[lane].rank, program.lanes[lane].stream,
                     compute ? LanePolicy::ready_first : LanePolicy::in_order);
    OpId before = none;
    for (const OpId op : program.order(lane)) {
      builder.append(lane, op);
      if (compute && before != none) builder.depend(before, op);
      before = op;
    }
  }
  for (OpId op = 0; op < program.ops.size(); ++op)
    for (const Edge edge : program.after(op))
      if (!edge.is_lane()) builder.depend(op, edge.to());
  return std::move(builder).finish();
}

}  // namespace pipewright::test
