// Hanayo (arXiv 2308.15762): waves. The model folded 2W times over the ranks, one copy of each
// stage; for W = 1 it is Chimera on 2p ranks folded in half.
//
// S = 2Wp stages in zig-zag: stage s on rank s mod p where s / p is even, p-1 - s mod p where it is
// odd. The order is a list schedule with tF = 1, tB = 2: a rank takes a ready backward before a
// ready forward, and of several the one of the oldest micro-batch. A micro-batch enters when
// fewer than `in_flight` are between their first F and last B. m = p, tB = 2tF per chunk, W = 1:
//   T = 2p tF + (4p-2) tB;
// for W = 2 and 4 it is 0 to 2 tF above 6pW tF + 4(p-1) tF. (The paper's own bubble ratio could
// not be checked.) One weight version; at most in_flight * 2W chunks a rank.
// 2W-1 turns are local: 2 * 2W(p-1) messages a micro-batch.
//
// Options waves: W, default 1; in_flight: default p, 1F1B's.
#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "schedule/registry.hpp"

namespace pipewright::schedule {
namespace {

constexpr int forward_time = 1, backward_time = 2;

/// Simulates the ranks with the list schedule's own times and writes down what they did.
class ListSchedule {
 public:
  ListSchedule(Schedule& schedule, int in_flight)
      : schedule_(schedule), busy_until_(schedule.order.size(), 0), ready_(schedule.order.size()) {
    const int first = std::min(in_flight, schedule.micro_batches);
    while (entered_ < first) arrivals_.push({0, forward(0, entered_++)});
  }

  void run() {
    int time = 0;
    while (!arrivals_.empty() || waiting_ > 0) {
      for (; !arrivals_.empty() && arrivals_.top().time <= time; arrivals_.pop(), ++waiting_) {
        const Action& action = arrivals_.top().action;
        ready_[rank_of(action.stage)].push(action);
      }
      for (size_t rank = 0; rank < ready_.size(); ++rank) start_one(rank, time);
      time = next_event(time);
    }
  }

 private:
  struct Arrival {
    int time;
    Action action;
    bool operator>(const Arrival& other) const { return key() > other.key(); }
    std::tuple<int, int, int> key() const { return {time, action.micro_batch, action.stage}; }
  };
  struct Later {
    bool operator()(const Action& a, const Action& b) const { return key(a) > key(b); }
    static std::tuple<bool, int> key(const Action& action) {
      return {action.pass == Pass::forward, action.micro_batch};
    }
  };

  size_t rank_of(int stage) const {
    const int p = schedule_.ranks(), at = stage % p;
    return static_cast<size_t>(stage / p % 2 == 0 ? at : p - 1 - at);
  }

  void start_one(size_t rank, int time) {
    if (busy_until_[rank] > time || ready_[rank].empty()) return;
    const Action action = ready_[rank].top();
    ready_[rank].pop();
    --waiting_;
    schedule_.order[rank].push_back(action);
    const int end = time + (action.pass == Pass::forward ? forward_time : backward_time);
    busy_until_[rank] = end;
    finish(action, end);
  }

  /// What becomes possible at `end` through `action`.
  void finish(const Action& action, int end) {
    const int b = action.micro_batch, s = action.stage;
    if (action.pass == Pass::forward) {
      arrivals_.push({end, s + 1 < schedule_.stages ? forward(s + 1, b) : backward(s, b)});
    } else if (s > 0) {
      arrivals_.push({end, backward(s - 1, b)});
    } else if (entered_ < schedule_.micro_batches) {
      arrivals_.push({end, forward(0, entered_++)});
    }
  }

  /// The next moment after `time` at which something arrives or a rank becomes free.
  int next_event(int time) const {
    int next = arrivals_.empty() ? time + backward_time : arrivals_.top().time;
    if (waiting_ > 0) {
      for (int until : busy_until_)
        if (until > time) next = std::min(next, until);
    }
    return next;
  }

  Schedule& schedule_;
  int entered_ = 0;
  int waiting_ = 0;  // ready and not yet started
  std::vector<int> busy_until_;
  std::vector<std::priority_queue<Action, std::vector<Action>, Later>> ready_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
};

Schedule build_hanayo(const Shape& shape, const config::Value& options) {
  const config::Fields fields(options, "hanayo", {"name", "waves", "in_flight"});
  const int waves = static_cast<int>(fields.integer("waves", 1, 1, 64));
  const int in_flight = static_cast<int>(fields.integer("in_flight", shape.ranks, 1, 1 << 20));
  Schedule schedule = make(shape, 2 * waves * shape.ranks);
  ListSchedule(schedule, in_flight).run();
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::hanayo{
    "hanayo", {}, "the model folded in waves over the ranks; one copy of it", build_hanayo};

}  // namespace pipewright::schedule
