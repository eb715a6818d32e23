// The state that a run keeps of lanes whose order is decided while it runs.
#pragma once

#include <queue>
#include <vector>

#include "program/program.hpp"

namespace pipewright {

/// Ops of a ready_first lane that could start if it were free. The first of them is at hand: most
/// often it is the only one.
class Waiting {
 public:
  bool empty() const { return first_.op == none; }

  void push(Time ready, OpId op) {
    Entry entry{ready, op};
    if (!empty()) {
      if (first_ > entry) std::swap(first_, entry);
      others_.push(entry);
    } else {
      first_ = entry;
    }
  }

  OpId pop() {
    const OpId op = first_.op;
    first_.op = none;
    if (!others_.empty()) {
      first_ = others_.top();
      others_.pop();
    }
    return op;
  }

 private:
  struct Entry {
    Time ready;
    OpId op = none;
    auto operator<=>(const Entry&) const = default;
  };
  Entry first_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> others_;
};

/// A ready_first lane.
struct Choice {
  Waiting waiting;
  Time free_at;
  OpId kept_for = none;    ///< the lane is not free before this op has run
  uint32_t started = 0;    ///< ops so far
  bool changed = false;    ///< as Choices::touch() says
  bool has_event = false;  ///< the queue has an event for when it is free
};

/// The ready_first lanes, and which of them may have become free or gained an op at this instant.
class Choices {
 public:
  void resize(size_t lanes) { choices_.resize(lanes); }
  Choice& operator[](LaneId lane) { return choices_[lane]; }

  void touch(LaneId lane) {
    if (choices_[lane].changed) return;
    choices_[lane].changed = true;
    changed_.push_back(lane);
  }

  /// Calls `look` with each lane that was touched since the last time.
  template <class Look>
  void look_at_changed(Look&& look) {
    for (const LaneId lane : changed_) {
      choices_[lane].changed = false;
      look(lane, choices_[lane]);
    }
    changed_.clear();
  }

 private:
  std::vector<Choice> choices_;  // by lane
  std::vector<LaneId> changed_;
};

/// A matching lane: messages without a receiver or receivers without a message.
class Unmatched {
 public:
  /// The first that `op` matches; `none` where there is no such one, and `op` is kept.
  OpId match(OpId op, bool is_message) {
    if (first_ < ops_.size() && are_messages_ != is_message) return ops_[first_++];
    if (first_ == ops_.size()) {
      ops_.clear();
      first_ = 0;
    }
    ops_.push_back(op);
    are_messages_ = is_message;
    return none;
  }

 private:
  std::vector<OpId> ops_;
  size_t first_ = 0;
  bool are_messages_ = false;
};

}  // namespace pipewright
