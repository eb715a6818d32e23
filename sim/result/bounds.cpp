#include <algorithm>

#include "result/result.hpp"

namespace pipewright {
namespace {

Time length(const Timeline& timeline, OpId op) {
  return timeline.spans[op].end - timeline.spans[op].start;
}

/// Longest path over data dependencies alone. Those never close a cycle in a program that has run.
Time longest_chain(const Program& program, const Timeline& timeline) {
  std::vector<uint32_t> waits(program.ops.size());
  for (OpId op = 0; op < program.ops.size(); ++op)
    for (const Edge edge : program.after(op))
      if (!edge.is_lane()) ++waits[edge.to()];
  std::vector<Time> start(program.ops.size());
  std::vector<OpId> stack;
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (waits[op] == 0) stack.push_back(op);
  Time longest;
  while (!stack.empty()) {
    const OpId op = stack.back();
    stack.pop_back();
    const Time end = start[op] + length(timeline, op);
    longest = std::max(longest, end);
    for (const Edge edge : program.after(op)) {
      if (edge.is_lane()) continue;
      start[edge.to()] = std::max(start[edge.to()], end);
      if (--waits[edge.to()] == 0) stack.push_back(edge.to());
    }
  }
  return longest;
}

}  // namespace

Bounds bounds(const Program& program, const Timeline& timeline) {
  Bounds bounds;
  bounds.longest_chain = longest_chain(program, timeline);
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    Time busy;
    for (const OpId op : program.order(lane)) busy += length(timeline, op);
    bounds.busiest_lane = std::max(bounds.busiest_lane, busy);
  }
  return bounds;
}

}  // namespace pipewright
