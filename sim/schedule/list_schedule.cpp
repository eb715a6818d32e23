#include "schedule/list_schedule.hpp"

#include <queue>
#include <tuple>

namespace pipewright::schedule {
namespace {

/// A pass in the queue of its rank.
struct Ready {
  int64_t priority;
  Action action;
  auto key() const {
    return std::tuple(priority, action.micro_batch, action.slice, action.stage, action.pass);
  }
  bool operator<(const Ready& other) const { return key() > other.key(); }  // least on top
};

struct Event {
  int64_t time;
  bool is_end;  // of the action on its rank; else the arrival of one of its inputs
  Action action;
  bool operator<(const Event& other) const { return time > other.time; }  // soonest on top
};

struct BusyRank {
  bool busy = false;
  int64_t held = 0;
  std::priority_queue<Ready> forwards, others;
};

class Scheduler {
 public:
  Scheduler(Schedule& schedule, const ListPolicy& policy)
      : s_(schedule),
        policy_(policy),
        gradient_(policy.split_backward ? Pass::input_gradient : Pass::backward),
        ranks_(schedule.order.size()),
        inputs_(size_t{2} * s_.stages * s_.total_micro_batches() * s_.slices) {}

  std::optional<int> run() {
    while (entered_ < s_.total_micro_batches() && entered_ < policy_.in_flight) enter();
    while (!events_.empty()) {
      now_ = events_.top().time;
      while (!events_.empty() && events_.top().time <= now_) {
        const Event event = events_.top();
        events_.pop();
        event.is_end ? end(event.action) : arrive(event.action);
      }
      for (BusyRank& rank : ranks_) start_one(rank);
    }
    for (size_t rank = 0; rank < ranks_.size(); ++rank)
      if (!ranks_[rank].forwards.empty()) return static_cast<int>(rank);
    return std::nullopt;
  }

 private:
  int rank_of(const Action& a) const { return policy_.rank_of(a.stage, a.micro_batch); }
  Action pass(Pass pass, int stage, const Action& like, int slice) const {
    return {pass, false, static_cast<int16_t>(slice), stage, like.micro_batch, 0};
  }

  /// Returns how many inputs a pass waits for.
  int needed(const Action& a) const {
    if (a.pass == Pass::forward)
      return a.stage == 0 && a.slice == 0 ? 1 : (a.stage > 0) + (a.slice > 0);
    if (a.pass == Pass::weight_gradient) return 1;
    return 1 + (a.stage + 1 < s_.stages) + (a.slice + 1 < s_.slices);
  }

  void enter() { events_.push({now_, false, forward(0, entered_++)}); }

  void arrive(const Action& a) {
    if (a.pass != Pass::weight_gradient) {
      const size_t piece =
          (size_t(a.stage) * s_.total_micro_batches() + a.micro_batch) * s_.slices + a.slice;
      if (++inputs_[2 * piece + (a.pass == Pass::forward)] < needed(a)) return;
    }
    BusyRank& rank = ranks_[rank_of(a)];
    (a.pass == Pass::forward ? rank.forwards : rank.others).push({policy_.priority(a), a});
  }

  void start_one(BusyRank& rank) {
    if (rank.busy) return;
    const auto index = static_cast<size_t>(&rank - ranks_.data());
    const bool room = policy_.most_held.empty() || rank.held < policy_.most_held[index];
    const bool may_forward = room && !rank.forwards.empty();
    if (!may_forward && rank.others.empty()) return;
    const bool is_forward =
        may_forward && (rank.others.empty() || rank.others.top() < rank.forwards.top());
    auto& queue = is_forward ? rank.forwards : rank.others;
    const Action action = queue.top().action;
    queue.pop();
    s_.order[index].push_back(action);
    rank.busy = true;
    rank.held += is_forward;
    events_.push({now_ + policy_.duration(action), true, action});
  }

  void end(const Action& a) {
    BusyRank& rank = ranks_[rank_of(a)];
    rank.busy = false;
    if (a.pass == Pass::backward || a.pass == Pass::weight_gradient) --rank.held;
    if (a.pass == Pass::forward) {
      if (a.stage + 1 < s_.stages) send(a, pass(Pass::forward, a.stage + 1, a, a.slice));
      if (a.slice + 1 < s_.slices) send(a, pass(Pass::forward, a.stage, a, a.slice + 1));
      send(a, pass(gradient_, a.stage, a, a.slice));
    } else if (a.pass == gradient_) {
      if (a.stage > 0) send(a, pass(gradient_, a.stage - 1, a, a.slice));
      if (a.slice > 0) send(a, pass(gradient_, a.stage, a, a.slice - 1));
      if (policy_.split_backward) send(a, pass(Pass::weight_gradient, a.stage, a, a.slice));
      const bool leaves = a.stage == 0 && a.slice == 0;
      if (leaves && entered_ < s_.total_micro_batches()) enter();
    }
  }

  void send(const Action& from, const Action& to) {
    const bool stays = rank_of(from) == rank_of(to);
    events_.push({now_ + (stays ? 0 : policy_.hop), false, to});
  }

  Schedule& s_;
  const ListPolicy& policy_;
  Pass gradient_;
  int64_t now_ = 0;
  int entered_ = 0;  // micro-batches
  std::vector<BusyRank> ranks_;
  std::vector<uint8_t> inputs_;  // that have arrived, of every F and every B or I
  std::priority_queue<Event> events_;
};

}  // namespace

std::optional<int> list_schedule(Schedule& schedule, const ListPolicy& policy) {
  return Scheduler(schedule, policy).run();
}

}  // namespace pipewright::schedule
