#include "result/rank_moments.hpp"

#include <algorithm>
#include <tuple>

namespace pipewright {

RankOps::RankOps(const Program& program)
    : program_(program), servers_(program.ranks.size()), movers_(program.ranks.size()) {
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane)
    if (computes(program.lanes[lane].stream)) servers_[program.lanes[lane].rank].push_back(lane);
  const auto moves = [](const OpType& type) { return type.moves_activation; };
  if (std::none_of(program.types.begin(), program.types.end(), moves)) return;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    if (!moves(program.type(op))) continue;
    movers_[program.ops[op].rank].push_back(op);
    if (program.type(op).kind == OpKind::transfer) movers_[program.ops[op].peer].push_back(op);
  }
}

bool RankOps::in_lane_order(uint32_t rank) const {
  return movers_[rank].empty() && servers_[rank].size() == 1 &&
         program_.lanes[servers_[rank].front()].policy == LanePolicy::in_order;
}

std::vector<Moment> RankOps::moments(const Timeline& timeline, uint32_t rank) const {
  std::vector<Moment> moments;
  const auto add = [&](OpId op) {
    const Span span = without_pauses(timeline.repetitions(rank), timeline.spans[op]);
    using Phase = Moment::Phase;
    const bool at_once = span.end == span.start;
    moments.push_back({span.start, at_once ? Phase::at_once : Phase::start, true, op});
    moments.push_back({span.end, at_once ? Phase::at_once : Phase::end, false, op});
  };
  for (const LaneId lane : servers_[rank])
    for (const OpId op : program_.order(lane)) add(op);
  for (const OpId op : movers_[rank]) add(op);
  std::stable_sort(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) {
    return std::tie(a.at, a.phase) < std::tie(b.at, b.phase);
  });
  return moments;
}

Bytes RankOps::growth(const Moment& moment, uint32_t rank) const {
  const Op& op = program_.ops[moment.op];
  const OpType& type = program_.type(moment.op);
  const bool transfer = type.kind == OpKind::transfer;
  if (moment.starts) return !transfer || op.peer == rank ? type.memory.allocates : Bytes{};
  return !transfer || op.rank == rank ? Bytes{} - type.memory.frees : Bytes{};
}

}  // namespace pipewright
