#include "engine/event_nodes.hpp"

namespace pipewright {

EventNodes::EventNodes(const Program& program) {
  nodes_.reserve(program.ops.size());
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const std::span<const Edge> after = program.after(op);
    nodes_.push_back({.waits = static_cast<int32_t>(program.waits[op]),
                      .lane = EventNode::no_lane,
                      .keeps_lane = 0,
                      .shares = 0,
                      .more = after.size() > 2,
                      .to = {after.size() > 0 ? after[0] : Edge{none},
                             after.size() > 1 ? after[1] : Edge{none}}});
  }
}

void EventNodes::begin_after(std::span<const Span> before) {
  for (OpId op = 0; op < nodes_.size(); ++op) {
    nodes_[op].ready = before[op].ready;
    nodes_[op].start = before[op].start;
  }
}

void EventNodes::note_competitors(const Program& program) {
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    if (program.lanes[lane].policy == LanePolicy::in_order) continue;
    for (const OpId op : program.order(lane)) {
      nodes_[op].lane = lane & EventNode::no_lane;
      nodes_[op].keeps_lane = program.type(op).keeps_lane;
    }
  }
}

Timeline EventNodes::timeline(std::span<const Time> duration) const {
  Timeline timeline{{}, "simulated"};
  timeline.spans.reserve(nodes_.size());
  for (OpId op = 0; op < nodes_.size(); ++op) {
    const EventNode& node = nodes_[op];
    timeline.spans.push_back({node.ready, node.start, node.start + duration[op]});
  }
  return timeline;
}

std::vector<bool> EventNodes::ended() const {
  std::vector<bool> ended(nodes_.size());
  for (OpId op = 0; op < nodes_.size(); ++op) ended[op] = nodes_[op].waits == EventNode::ended;
  return ended;
}

}  // namespace pipewright
