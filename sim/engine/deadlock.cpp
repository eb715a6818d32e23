#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "program/names.hpp"

namespace pipewright {

namespace {

/// A receiver that no message has come for waits for the first of its lane that was not sent.
void block_receivers(const Program& program, const std::vector<bool>& ended,
                     std::vector<OpId>& blocker) {
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    if (program.lanes[lane].policy != LanePolicy::matching) continue;
    OpId unsent = none;
    for (const OpId op : program.order(lane))
      if (!ended[op] && unsent == none && program.type(op).kind == OpKind::transfer) unsent = op;
    for (const OpId op : program.order(lane))
      if (!ended[op] && blocker[op] == none) blocker[op] = unsent;
  }
}

}  // namespace

std::string describe_deadlock(const Program& program, const std::vector<bool>& ended) {
  // Every op that has not ended waits for another that has not: following any of them must close a
  // cycle.
  std::vector<OpId> blocker(program.ops.size(), none);
  OpId op = none;
  for (OpId o = 0; o < program.ops.size(); ++o) {
    if (ended[o]) continue;
    for (const Edge edge : program.after(o)) blocker[edge.to()] = o;
    if (op == none) op = o;
  }
  ensure(op != none, "a deadlock needs an op that has not ended");
  block_receivers(program, ended, blocker);
  std::vector<bool> seen(program.ops.size());
  while (!seen[op]) {
    seen[op] = true;
    op = blocker[op];
    ensure(op != none, "an op that has not ended waits for nothing");
  }
  std::string text = "deadlock: ";
  const OpId start = op;
  int shown = 0;
  do {
    if (++shown > 16) {
      text += " ... ";
      break;
    }
    text += fmt::format("{} waits for ", describe(program, op));
    op = blocker[op];
  } while (op != start);
  return text + describe(program, start);
}

}  // namespace pipewright
