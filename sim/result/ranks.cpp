#include <algorithm>
#include <cmath>

#include "result/memory_use.hpp"
#include "result/rank_moments.hpp"
#include "result/repeated_growth.hpp"
#include "result/result.hpp"

namespace pipewright {
namespace {

using schedule::Pass;

/// What a rank holds.
struct Held {
  Bytes activations;
  int64_t in_flight = 0, to_weight_gradient = 0;

  /// Grows `again` times by what was added since `before`.
  void repeat(const Held& before, int64_t again) {
    activations += again * (activations - before.activations);
    in_flight += again * (in_flight - before.in_flight);
    to_weight_gradient += again * (to_weight_gradient - before.to_weight_gradient);
  }
};

/// The sums of the ops of one rank.
struct RankSums : Held {
  Time compute, first_start = longest_time, last_end;
  Bytes peak_activations;
  int64_t peak_in_flight = 0, peak_to_weight_gradient = 0;

  /// Adds an op of `rank` that waits for its host during `host` of its length, from 0 to 1.
  void add(const Span& span, double host, const Timeline& timeline, uint32_t rank) {
    const Time length = span.end - span.start;
    const Time waits{std::llround(static_cast<double>(length.ps) * host)};
    compute += timeline.times(rank, span) * (length - waits);
    first_start = std::min(first_start, timeline.unfolded(rank, span.start));
    last_end = std::max(last_end, timeline.unfolded(rank, span.end));
  }

  void grow(Bytes by) {
    activations += by;
    peak_activations = std::max(peak_activations, activations);
  }

  void start(const OpType& type) {
    if (type.kind != OpKind::compute || type.pass != Pass::forward || !type.first) return;
    peak_in_flight = std::max(peak_in_flight, ++in_flight);
    peak_to_weight_gradient = std::max(peak_to_weight_gradient, ++to_weight_gradient);
  }

  void end(const Program& program, OpId op) {
    const OpType& type = program.type(op);
    if (type.kind != OpKind::compute) return;
    if (type.last) release(type.pass);
    if (type.paired) release(program.partners[program.ops[op].peer].pass);
  }

 private:
  void release(Pass pass) {
    if (pass == Pass::backward || pass == Pass::input_gradient) --in_flight;
    if (pass == Pass::backward || pass == Pass::weight_gradient) --to_weight_gradient;
  }
};

bool computes(const OpType& type) {
  return type.kind == OpKind::compute || type.kind == OpKind::step;
}

/// Adds up the sums of a rank whose ops run one after the other: no times need to be compared.
void sum_in_lane_order(const Program& program, const Timeline& timeline, LaneId lane,
                       RankSums& sums) {
  RepeatedGrowth<Held> growth(timeline.repetitions(program.lanes[lane].rank));
  for (const OpId op : program.order(lane)) {
    const OpType& type = program.type(op);
    if (!computes(type)) continue;
    growth.reach(timeline.spans[op].start, sums);
    sums.grow(type.memory.allocates);
    sums.start(type);
    sums.grow(Bytes{} - type.memory.frees);
    sums.end(program, op);
  }
}

RankSums sum_rank(const Program& program, const Timeline& timeline, const ComputeShares& shares,
                  const RankOps& ops, uint32_t rank) {
  RankSums sums;
  const std::span<const LaneId> servers = ops.servers(rank);
  for (const LaneId lane : servers)
    for (const OpId op : program.order(lane))
      if (computes(program.type(op)))
        sums.add(timeline.spans[op], shares.of(program, op).host, timeline, rank);
  if (sums.first_start > sums.last_end) sums.first_start = sums.last_end;
  // Each of two servers is half of the device.
  if (servers.size() > 1) sums.compute = divide(sums.compute, static_cast<int64_t>(servers.size()));
  if (ops.in_lane_order(rank)) {
    sum_in_lane_order(program, timeline, servers.front(), sums);
    return sums;
  }
  RepeatedGrowth<Held> growth(timeline.repetitions(rank));
  for (const Moment& moment : ops.moments(timeline, rank)) {
    growth.reach(moment.at, sums);
    sums.grow(ops.growth(moment, rank));
    if (moment.starts)
      sums.start(program.type(moment.op));
    else
      sums.end(program, moment.op);
  }
  return sums;
}

void take_over(const RankSums& sums, Time makespan, RankResult& rank) {
  rank.compute = sums.compute;
  rank.idle = makespan - sums.compute;
  rank.span = sums.last_end - sums.first_start;
  rank.peak_in_flight = static_cast<int>(sums.peak_in_flight);
  rank.peak_in_flight_to_weight_gradient = static_cast<int>(sums.peak_to_weight_gradient);
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

void measure_ranks(const Program& program, const Timeline& timeline,
                   const std::vector<MemoryUse>& static_memory,
                   const std::vector<Breakdown>& accounts, const ComputeShares& shares,
                   Metrics& metrics) {
  std::vector<RankResult>& ranks = metrics.ranks;
  std::vector<Time> latest;
  double computing_s = 0;  // of all devices
  int64_t devices = 0;
  const RankOps ops(program);
  for (uint32_t rank = 0; rank < program.ranks.size(); ++rank) {
    if (ops.servers(rank).empty()) continue;
    const ProgramRank& where = program.ranks[rank];
    const RankSums sums = sum_rank(program, timeline, shares, ops, rank);
    computing_s += static_cast<double>(where.multiplicity) * in_seconds(sums.compute);
    devices += where.multiplicity;
    const auto index = static_cast<size_t>(where.pipeline);
    const bool first_replica = index >= ranks.size();
    if (first_replica) {
      ranks.resize(index + 1);
      latest.resize(index + 1);
      ranks[index].rank = where.pipeline;
      if (index < static_memory.size()) ranks[index].memory = static_memory[index];
      add_stages(program, ops.servers(rank).front(), ranks[index].stages);
    }
    if (!first_replica && sums.last_end <= latest[index]) continue;
    latest[index] = sums.last_end;
    take_over(sums, metrics.makespan, ranks[index]);
    ranks[index].simulated = rank;
    ranks[index].breakdown = accounts[rank];
  }
  if (devices > 0 && metrics.makespan > Time{})
    metrics.idle_fraction =
        1 - computing_s / (static_cast<double>(devices) * in_seconds(metrics.makespan));
}

}  // namespace pipewright
