#include "calibrate/live/executor/rank_status.hpp"

#include <fmt/format.h>

#include "program/names.hpp"

namespace pipewright::live {
namespace {

/// Tells whether the end of the op is seen here; a transfer's end is seen elsewhere.
bool is_here(const Program& program, OpId op) { return program.type(op).kind != OpKind::transfer; }

/// The first in a compute lane that has not started.
OpId next_op(const Program& program, const Share& share, const RankProgress& progress) {
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    if (program.lanes[lane].rank != progress.rank || !computes(program.lanes[lane].stream))
      continue;
    for (const OpId op : program.order(lane))
      if (share.starts(op) ? !progress.started[op] : !progress.ended[op]) return op;
  }
  return none;
}

OpId blocker_of(OpId waiting, const Program& program, const Share& share,
                const RankProgress& progress) {
  for (OpId op = 0; op < program.ops.size(); ++op) {
    if (progress.ended[op]) continue;
    for (const Edge edge : program.after(op))
      if (edge.to() == waiting && share.waits_for(op, waiting)) return op;
  }
  return none;
}

}  // namespace

std::string status_of(const Program& program, const Share& share, const RankProgress& progress,
                      bool has_seen_all) {
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (program.ops[op].rank == progress.rank && progress.started[op] && !progress.ended[op] &&
        is_here(program, op))
      return fmt::format("is at {}", name(program, op));
  const OpId next = next_op(program, share, progress);
  if (next == none) return has_seen_all ? "has done its ops" : "waits for messages";
  const OpId blocker = blocker_of(next, program, share, progress);
  if (blocker == none) return fmt::format("waits at {}", name(program, next));
  return fmt::format("waits at {} for {}", name(program, next), describe(program, blocker));
}

}  // namespace pipewright::live
