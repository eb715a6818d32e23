#include <algorithm>
#include <queue>

#include "base/error.hpp"
#include "engine/engine.hpp"

namespace pipewright {
namespace {

struct Event {
  Time time;
  OpId op;
  bool operator>(const Event& other) const {
    return time != other.time ? time > other.time : op > other.op;
  }
};

/// Ops of a ready_first lane that could start if the lane were free.
struct ReadyQueue {
  struct Entry {
    Time ready;
    uint32_t place;
    OpId op;
    bool operator>(const Entry& other) const {
      return ready != other.ready ? ready > other.ready : place > other.place;
    }
  };
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting;
  bool busy = false;
};

class Run {
 public:
  Run(const Program& program, std::span<const Time> duration)
      : program_(program),
        duration_(duration),
        waits_(program.waits),
        queues_(program.lanes.size()),
        timeline_{std::vector<Span>(program.ops.size()), "simulated"} {
    place_in_lane();
  }

  Timeline run() {
    for (OpId op = 0; op < waits_.size(); ++op)
      if (program_.waits[op] == 0) become_ready(op, Time{});
    start_on_free_lanes(Time{});
    size_t done = 0;
    while (!events_.empty()) {
      // Everything that ends now ends before anything that waits for it is chosen.
      const Time now = events_.top().time;
      for (; !events_.empty() && events_.top().time == now; ++done) {
        const OpId op = events_.top().op;
        events_.pop();
        end(op, now);
      }
      start_on_free_lanes(now);
    }
    if (done < waits_.size()) fail();
    return std::move(timeline_);
  }

 private:
  bool ready_first(LaneId lane) const {
    return lane != none && program_.lanes[lane].policy == LanePolicy::ready_first;
  }

  void place_in_lane() {
    const auto policy = [](const Lane& lane) { return lane.policy == LanePolicy::ready_first; };
    if (std::none_of(program_.lanes.begin(), program_.lanes.end(), policy)) return;
    place_.resize(program_.ops.size());
    for (LaneId lane = 0; lane < program_.lanes.size(); ++lane) {
      const std::span<const OpId> order = program_.order(lane);
      for (uint32_t k = 0; k < order.size(); ++k) place_[order[k]] = k;
    }
  }

  void become_ready(OpId op, Time now) {
    const LaneId lane = program_.ops[op].lane;
    if (!ready_first(lane)) return start(op, now);
    queues_[lane].waiting.push({now, place_[op], op});
    changed_.push_back(lane);
  }

  void start(OpId op, Time now) {
    Span& span = timeline_.spans[op];
    span.start = now;
    if (__builtin_add_overflow(now.ps, duration_[op].ps, &span.end.ps))
      throw Failure("the simulated time exceeds the clock's range of 106 days");
    events_.push({span.end, op});
  }

  /// The choice is made once nothing more becomes ready at this instant.
  void start_on_free_lanes(Time now) {
    for (const LaneId lane : changed_) {
      ReadyQueue& queue = queues_[lane];
      if (queue.busy || queue.waiting.empty()) continue;
      const OpId op = queue.waiting.top().op;
      queue.waiting.pop();
      queue.busy = true;
      start(op, now);
    }
    changed_.clear();
  }

  void end(OpId op, Time now) {
    const LaneId lane = program_.ops[op].lane;
    if (ready_first(lane)) {
      queues_[lane].busy = false;
      changed_.push_back(lane);
    }
    for (const Edge edge : program_.after(op)) {
      const OpId next = edge.to();
      if (!edge.is_lane()) timeline_.spans[next].ready = now;
      if (--waits_[next] == 0) become_ready(next, now);
    }
  }

  [[noreturn]] void fail() const {
    std::vector<bool> ended(waits_.size());
    for (OpId op = 0; op < waits_.size(); ++op) ended[op] = waits_[op] == 0;
    throw Failure(describe_deadlock(program_, ended));
  }

  const Program& program_;
  std::span<const Time> duration_;
  std::vector<uint32_t> waits_;
  std::vector<uint32_t> place_;  // in its lane; only with ready_first lanes
  std::vector<ReadyQueue> queues_;
  std::vector<LaneId> changed_;  // ready_first lanes that were freed or gained an op
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Timeline timeline_;
};

}  // namespace

Timeline run_events(const Program& program, std::span<const Time> duration) {
  return Run(program, duration).run();
}

Timeline simulate(const Program& program, std::span<const Time> duration) {
  const bool in_order =
      std::all_of(program.lanes.begin(), program.lanes.end(),
                  [](const Lane& lane) { return lane.policy == LanePolicy::in_order; });
  return in_order ? run_longest_path(program, duration) : run_events(program, duration);
}

}  // namespace pipewright
