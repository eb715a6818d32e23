#include <algorithm>

#include "result/result.hpp"

namespace pipewright {
namespace {

using schedule::Pass;

/// What the ops of one compute lane add up to, in the order in which they run.
struct LaneSums {
  Time compute, first_start = longest_time, last_end;
  Bytes activations, peak_activations;
  int in_flight = 0, peak_in_flight = 0;
  int to_weight_gradient = 0, peak_to_weight_gradient = 0;

  void add(const Program& program, OpId op, const Span& span) {
    const OpType& type = program.type(op);
    if (type.kind != OpKind::compute && type.kind != OpKind::step) return;
    compute += span.end - span.start;
    first_start = std::min(first_start, span.start);
    last_end = std::max(last_end, span.end);
    activations += type.allocates;
    peak_activations = std::max(peak_activations, activations);
    activations -= type.frees;
    if (type.kind == OpKind::compute) count_in_flight(program, op, type);
  }

  void count_in_flight(const Program& program, OpId op, const OpType& type) {
    const auto passed = [&](Pass pass, bool starts, bool ends) {
      if (pass == Pass::forward && starts) {
        peak_in_flight = std::max(peak_in_flight, ++in_flight);
        peak_to_weight_gradient = std::max(peak_to_weight_gradient, ++to_weight_gradient);
      }
      if (!ends) return;
      if (pass == Pass::backward || pass == Pass::input_gradient) --in_flight;
      if (pass == Pass::backward || pass == Pass::weight_gradient) --to_weight_gradient;
    };
    passed(type.pass, type.first, type.last);
    if (type.paired) passed(program.partners[program.ops[op].peer].pass, true, true);
  }
};

LaneSums sum_lane(const Program& program, const Timeline& timeline, LaneId lane) {
  LaneSums sums;
  for (const OpId op : program.order(lane)) sums.add(program, op, timeline.spans[op]);
  if (sums.first_start > sums.last_end) sums.first_start = sums.last_end;
  return sums;
}

void take_over(const LaneSums& sums, Time makespan, RankResult& rank) {
  rank.compute = sums.compute;
  rank.idle = makespan - sums.compute;
  rank.span = sums.last_end - sums.first_start;
  rank.peak_in_flight = sums.peak_in_flight;
  rank.peak_in_flight_to_weight_gradient = sums.peak_to_weight_gradient;
  rank.memory.activations = std::max(rank.memory.activations, sums.peak_activations);
}

void add_stages(const Program& program, LaneId lane, std::vector<int>& stages) {
  for (const OpId op : program.order(lane)) {
    const OpType& type = program.type(op);
    if (type.kind == OpKind::compute) stages.push_back(type.stage);
    if (type.paired) stages.push_back(program.partners[program.ops[op].peer].stage);
  }
  std::sort(stages.begin(), stages.end());
  stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
}

}  // namespace

double measure_ranks(const Program& program, const Timeline& timeline, Time makespan,
                     const std::vector<MemoryUse>& static_memory, std::vector<RankResult>& ranks) {
  double busy = 0;
  std::vector<Time> latest;
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    if (program.lanes[lane].stream != Stream::compute) continue;
    const ProgramRank& where = program.ranks[program.lanes[lane].rank];
    const LaneSums sums = sum_lane(program, timeline, lane);
    busy += in_seconds(sums.compute) * where.multiplicity;
    const auto index = static_cast<size_t>(where.pipeline);
    const bool first_replica = index >= ranks.size();
    if (first_replica) {
      ranks.resize(index + 1);
      latest.resize(index + 1);
      ranks[index].rank = where.pipeline;
      if (index < static_memory.size()) ranks[index].memory = static_memory[index];
      add_stages(program, lane, ranks[index].stages);
    }
    if (!first_replica && sums.last_end <= latest[index]) continue;
    latest[index] = sums.last_end;
    take_over(sums, makespan, ranks[index]);
  }
  return busy;
}

}  // namespace pipewright
