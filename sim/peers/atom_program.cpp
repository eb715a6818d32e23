#include "peers/atom_program.hpp"

#include <initializer_list>
#include <utility>

namespace pipewright::atom {
namespace {

using schedule::Pass;

class Step {
 public:
  Step(const std::vector<Segment>& segments, const Peers& peers)
      : segments_(segments), peers_(peers), last_(static_cast<int>(segments.size()) - 1) {
    builder_.program.ranks.push_back({.device = peers.devices.front(),
                                      .multiplicity = static_cast<int32_t>(peers.devices.size())});
    builder_.program.groups.push_back(peers.devices);
    compute_ = builder_.add_lane(0, Stream::compute);
    fetch_ = builder_.add_lane(0, Stream::fetch);
    leave_ = builder_.add_lane(0, Stream::leave);
    data_ = builder_.add_lane(0, Stream::data);
  }

  TimedProgram build() && {
    const bool reduces = peers_.reduce > Time{};
    if (reduces && peers_.beside) reduce_after(none);
    go_forward();
    const OpId end = go_back();
    if (reduces && !peers_.beside) reduce_after(end);
    return {std::move(builder_).finish(), std::move(durations_)};
  }

 private:
  void go_forward() {
    OpId loaded = last_ > 0 ? load(0, Pass::forward, none) : none;
    for (int k = 0; k <= last_; ++k) {
      const OpId begin = boundary({passed_, loaded});
      pass(k, Pass::forward, begin);
      loaded = k < last_ ? load(k + 1, Pass::forward, begin) : none;
    }
  }

  /// Returns the op that brings the last gradients away.
  OpId go_back() {
    OpId loaded = none, stored = none;
    for (int k = last_; k >= 0; --k) {
      const OpId begin = boundary({passed_, loaded, stored});
      pass(k, Pass::backward, begin);
      stored = k < last_ ? store(k + 1, begin) : none;
      loaded = k > 0 ? load(k - 1, Pass::backward, begin) : none;
    }
    return store(0, boundary({passed_, stored}));
  }

  /// A point after all of `before`, at which a segment ends and the next begins.
  OpId boundary(std::initializer_list<OpId> before) {
    const OpId op = builder_.add({.type = add_type({.kind = OpKind::marker}), .rank = 0});
    durations_.push_back({});
    for (const OpId one : before) after(one, op);
    return op;
  }

  void pass(int k, Pass pass, OpId begin) {
    const Segment& segment = segments_[static_cast<size_t>(k)];
    const Time time = pass == Pass::forward ? segment.forward : segment.backward;
    const uint32_t type = add_type({.kind = OpKind::compute, .pass = pass, .stage = k});
    for (int i = 0; i < peers_.micro_batches; ++i) {
      passed_ = add(type, compute_, time, i);
      if (i == 0) after(begin, passed_);
    }
  }

  OpId load(int k, Pass pass, OpId begin) {
    const Segment& segment = segments_[static_cast<size_t>(k)];
    const OpType type{.kind = OpKind::copy,
                      .pass = pass,
                      .traffic = Traffic::host,
                      .stage = k,
                      .bytes = segment.weights};
    return copy(type, fetch_, segment.load, begin);
  }

  OpId store(int k, OpId begin) {
    const Segment& segment = segments_[static_cast<size_t>(k)];
    const OpType type{.kind = OpKind::copy,
                      .pass = Pass::backward,
                      .traffic = Traffic::host,
                      .to_host = true,
                      .stage = k,
                      .bytes = segment.gradients};
    return copy(type, leave_, segment.store, begin);
  }

  OpId copy(const OpType& type, LaneId lane, Time time, OpId begin) {
    const OpId op = add(add_type(type), lane, time, 0);
    after(begin, op);
    return op;
  }

  void reduce_after(OpId before) {
    const uint32_t type =
        add_type({.kind = OpKind::collective, .traffic = Traffic::data, .bytes = peers_.reduced});
    const OpId op = add(type, data_, peers_.reduce, 0);
    builder_.program.ops[op].peer = 0;
    after(before, op);
  }

  uint32_t add_type(const OpType& type) {
    builder_.program.types.push_back(type);
    return static_cast<uint32_t>(builder_.program.types.size() - 1);
  }

  OpId add(uint32_t type, LaneId lane, Time time, int micro_batch) {
    const OpId op =
        builder_.add({.type = type, .rank = 0, .lane = lane, .micro_batch = micro_batch});
    builder_.append(lane, op);
    durations_.push_back(time);
    return op;
  }

  void after(OpId first, OpId second) {
    if (first != none && second != none) builder_.depend(first, second);
  }

  const std::vector<Segment>& segments_;
  const Peers& peers_;
  int last_;
  ProgramBuilder builder_;
  LaneId compute_ = none, fetch_ = none, leave_ = none, data_ = none;
  OpId passed_ = none;  ///< the last op of the pass before
  std::vector<Time> durations_;
};

}  // namespace

TimedProgram step_of(const std::vector<Segment>& segments, const Peers& peers) {
  return Step(segments, peers).build();
}

}  // namespace pipewright::atom
