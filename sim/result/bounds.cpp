#include <algorithm>

#include "result/result.hpp"

namespace pipewright {
namespace {

Time length(const Timeline& timeline, OpId op) {
  return timeline.spans[op].end - timeline.spans[op].start;
}

Time longest_chain(const Program& program, const Timeline& timeline) {
  const std::vector<Time> starts = chain_starts(program, timeline);
  Time longest;
  for (OpId op = 0; op < program.ops.size(); ++op)
    longest = std::max(longest, starts[op] + length(timeline, op));
  return longest;
}

}  // namespace

/// Data dependencies alone never close a cycle in a program that has run.
std::vector<Time> chain_starts(const Program& program, const Timeline& timeline) {
  std::vector<uint32_t> waits(program.ops.size());
  for (OpId op = 0; op < program.ops.size(); ++op)
    for (const Edge edge : program.after(op))
      if (!edge.is_lane()) ++waits[edge.to()];
  std::vector<Time> starts(program.ops.size());
  std::vector<OpId> stack;
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (waits[op] == 0) stack.push_back(op);
  while (!stack.empty()) {
    const OpId op = stack.back();
    stack.pop_back();
    const Time end = starts[op] + length(timeline, op);
    for (const Edge edge : program.after(op)) {
      if (edge.is_lane()) continue;
      starts[edge.to()] = std::max(starts[edge.to()], end);
      if (--waits[edge.to()] == 0) stack.push_back(edge.to());
    }
  }
  return starts;
}

Bounds bounds(const Program& program, const Timeline& timeline, std::optional<Time> known_chain) {
  Bounds bounds;
  bounds.longest_chain = known_chain ? *known_chain : longest_chain(program, timeline);
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    Time busy;
    for (const OpId op : program.order(lane))
      busy += timeline.times(program.lanes[lane].rank, timeline.spans[op]) * length(timeline, op);
    bounds.busiest_lane = std::max(bounds.busiest_lane, busy);
  }
  return bounds;
}

}  // namespace pipewright
