#include "engine/engine.hpp"

namespace pipewright {

Program settle(Program open, const Decisions& decisions) {
  ProgramBuilder builder;
  for (OpId op = 0; op < open.ops.size(); ++op) {
    open.ops[op].lane = none;
    for (const Edge edge : open.after(op))
      if (!edge.is_lane()) builder.depend(op, edge.to());
  }
  for (const Decisions::Received& received : decisions.received)
    builder.depend(received.message, received.receiver);
  const std::vector<Lane> lanes = std::move(open.lanes);
  const std::vector<uint32_t> offset = std::move(open.lane_offset);
  builder.program = std::move(open);
  builder.program.lanes.clear();
  for (LaneId lane = 0; lane < lanes.size(); ++lane) {
    if (lanes[lane].policy == LanePolicy::matching) continue;
    const LaneId id = builder.add_lane(lanes[lane].rank, lanes[lane].stream);
    for (uint32_t k = offset[lane]; k < offset[lane + 1]; ++k)
      builder.append(id, decisions.lane_ops[k]);
  }
  return std::move(builder).finish();
}

}  // namespace pipewright
