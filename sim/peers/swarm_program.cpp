#include "peers/swarm_program.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace pipewright {
namespace {

/// Writes down a run op by op.
class Writer {
 public:
  Writer(int peers, int stages) : stages_(static_cast<uint32_t>(stages)) {
    timeline_.executor = "simulated";
    of_peer_.resize(static_cast<size_t>(peers));
    for (int peer = 0; peer < peers; ++peer) {
      builder_.program.ranks.push_back({.pipeline = peer, .device = peer});
      builder_.add_lane(static_cast<uint32_t>(peer), Stream::compute);
    }
    add_types();
  }

  void add(const SwarmSpan& span) {
    const auto pass = static_cast<uint32_t>(2 * span.stage + (span.backward ? 1 : 0));
    const OpId op = compute(pass, span.peer, span.micro_batch, {span.start, span.start, span.end});
    passes_[{span.micro_batch, span.stage, span.backward, span.peer}] = op;
  }

  void add(const SwarmUpdate& update) {
    if (update.peers.empty()) return;
    const Time summed = update.start + update.length.reduce;
    const OpId sum = update.peers.size() > 1 ? sum_of(update) : none;
    for (const int peer : update.peers) {
      const OpId step =
          compute(step_type(update.stage), peer, 0, {summed, summed, summed + update.length.step});
      if (sum != none) builder_.depend(sum, step);
    }
  }

  /// Passes and updates are there.
  void add(const SwarmMessage& message) {
    const OpId op = builder_.add({.type = message_type(message),
                                  .rank = static_cast<uint32_t>(message.from),
                                  .peer = static_cast<uint32_t>(message.to),
                                  .micro_batch = std::max(0, message.micro_batch)});
    timeline_.spans.push_back({message.start, message.start, message.end});
    const OpId from = writer_of(message), to = reader_of(message);
    if (from != none) builder_.depend(from, op);
    if (to != none) builder_.depend(op, to);
  }

  /// Puts the ops of each peer in order. Nothing that computes may be added afterwards.
  void fill_lanes() {
    for (LaneId lane = 0; lane < of_peer_.size(); ++lane) {
      std::ranges::stable_sort(of_peer_[lane], {}, [&](OpId op) { return start_of(op); });
      for (const OpId op : of_peer_[lane]) builder_.append(lane, op);
    }
  }

  SwarmTimeline take() && { return {std::move(builder_).finish(), std::move(timeline_)}; }

 private:
  using Key = std::tuple<int, int, bool, int>;  ///< micro-batch, stage, backward, peer

  /// Two passes and an update of weights for each stage.
  void add_types() {
    std::vector<OpType>& types = builder_.program.types;
    const auto stages = static_cast<int32_t>(stages_);
    for (int32_t stage = 0; stage < stages; ++stage)
      for (const schedule::Pass pass : {schedule::Pass::forward, schedule::Pass::backward})
        types.push_back({.pass = pass, .stage = stage});
    for (int32_t stage = 0; stage < stages; ++stage)
      types.push_back({.kind = OpKind::step, .stage = stage});
  }

  uint32_t step_type(int stage) const { return 2 * stages_ + static_cast<uint32_t>(stage); }

  /// Returns the type of communication that is like `type`, one for each stage and size.
  uint32_t communication_type(const OpType& type) {
    std::vector<OpType>& types = builder_.program.types;
    const auto [found, is_new] = communication_.try_emplace(
        {type.kind, type.pass, type.stage, type.bytes.count}, static_cast<uint32_t>(types.size()));
    if (is_new) types.push_back(type);
    return found->second;
  }

  uint32_t message_type(const SwarmMessage& message) {
    return communication_type(
        {.kind = OpKind::transfer,
         .pass = message.backward ? schedule::Pass::backward : schedule::Pass::forward,
         .stage = message.stage,
         .bytes = message.bytes});
  }

  OpId compute(uint32_t type, int peer, int micro_batch, const Span& span) {
    const auto rank = static_cast<uint32_t>(peer);
    const OpId op =
        builder_.add({.type = type, .rank = rank, .lane = rank, .micro_batch = micro_batch});
    timeline_.spans.push_back(span);
    of_peer_[rank].push_back(op);
    return op;
  }

  OpId sum_of(const SwarmUpdate& update) {
    const auto group = static_cast<uint32_t>(builder_.program.groups.size());
    builder_.program.groups.emplace_back(update.peers.begin(), update.peers.end());
    const uint32_t type = communication_type({.kind = OpKind::collective,
                                              .traffic = Traffic::data,
                                              .stage = update.stage,
                                              .bytes = update.gradients});
    const OpId op = builder_.add(
        {.type = type, .rank = static_cast<uint32_t>(update.peers.front()), .peer = group});
    timeline_.spans.push_back({update.start, update.start, update.start + update.length.reduce});
    return op;
  }

  Time start_of(OpId op) const { return timeline_.spans[op].start; }

  OpId pass_of(const Key& key) const {
    const auto found = passes_.find(key);
    return found == passes_.end() ? none : found->second;
  }

  /// Returns the op that waits for the message: none where it was given up.
  OpId reader_of(const SwarmMessage& m) const {
    if (m.micro_batch >= 0) return pass_of({m.micro_batch, m.stage, m.backward, m.to});
    const std::vector<OpId>& ops = of_peer_[static_cast<size_t>(m.to)];
    const auto next =
        std::ranges::lower_bound(ops, m.end, {}, [&](OpId op) { return start_of(op); });
    return next == ops.end() ? none : *next;
  }

  /// Returns the op that made the message; none for weights, which are there anyway.
  OpId writer_of(const SwarmMessage& m) const {
    if (m.micro_batch < 0) return none;
    const bool turned = m.backward && m.stage + 1 == static_cast<int>(stages_);
    const int stage = turned ? m.stage : m.backward ? m.stage + 1 : m.stage - 1;
    return pass_of({m.micro_batch, stage, m.backward && !turned, m.from});
  }

  uint32_t stages_;
  ProgramBuilder builder_;
  Timeline timeline_;
  std::vector<std::vector<OpId>> of_peer_;
  std::map<Key, OpId> passes_;
  std::map<std::tuple<OpKind, schedule::Pass, int32_t, int64_t>, uint32_t> communication_;
};

}  // namespace

SwarmTimeline swarm_timeline(const SwarmRun& run, int peers, int stages) {
  Writer writer(peers, stages);
  for (const SwarmSpan& span : run.spans) writer.add(span);
  for (const SwarmUpdate& update : run.updates) writer.add(update);
  writer.fill_lanes();
  for (const SwarmMessage& message : run.messages) writer.add(message);
  return std::move(writer).take();
}

}  // namespace pipewright
