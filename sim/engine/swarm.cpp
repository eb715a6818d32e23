#include "engine/swarm.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "engine/swarm_wiring.hpp"

namespace pipewright {
namespace swarm {
namespace {

constexpr uint64_t most_events = 100'000'000;

/// splitmix64, Steele, Lea, Flood 2014.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  double uniform() {
    uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (static_cast<double>((x ^ (x >> 31)) >> 11) + 0.5) * 0x1p-53;
  }

 private:
  uint64_t state_;
};

class Swarm {
 public:
  explicit Swarm(const SwarmPlan& plan)
      : plan_(plan),
        random_(plan.seed),
        peers_(plan.stage_of, plan.stages),
        wiring_(plan, peers_, events_) {}

  SwarmRun run() {
    for (int peer = 0; peer < peers_.count(); ++peer) plan_departure(peer);
    if (plan_.rebalance < longest_time) events_.at(plan_.rebalance, {.what = What::rebalance});
    begin_step();
    while (static_cast<int>(run_.step_ends.size()) < plan_.steps) {
      stop_here();
      const std::optional<Event> event = events_.next();
      if (!event) throw Failure("every peer of the swarm left for good");
      if (++run_.events > most_events)
        throw Failure("the swarm loses work as fast as it does any: 10^8 events without an end");
      handle(*event);
    }
    run_.messages = wiring_.messages();
    return std::move(run_);
  }

 private:
  void handle(const Event& event) {
    switch (event.what) {
      case What::arrives:
        return take(event.peer, event.task);
      case What::computed:
        return finish(event.peer, event.epoch);
      case What::leaves:
        return leave(event.peer);
      case What::returns:
        return come_back(event.peer);
      case What::is_ready:
        return be_ready(event.peer, event.epoch);
      case What::rebalance:
        rebalance();
        return events_.at(events_.after(plan_.rebalance), {.what = What::rebalance});
      case What::step_begins:
        return begin_step();
    }
  }

  // --- steps ---

  void begin_step() {
    left_ = plan_.micro_batches;
    next_ = static_cast<int>(run_.step_ends.size()) * plan_.micro_batches;
    for (int k = 0; k < std::min(plan_.in_flight, plan_.micro_batches); ++k) wiring_.begin(next_++);
  }

  void end_micro_batch(int micro_batch) {
    wiring_.end(micro_batch);
    const int end = (static_cast<int>(run_.step_ends.size()) + 1) * plan_.micro_batches;
    if (next_ < end) wiring_.begin(next_++);
    if (--left_ > 0) return;
    Time longest;
    for (int stage = 0; stage < plan_.stages; ++stage) {
      SwarmUpdate update{.stage = stage,
                         .peers = peers_.serving(stage),
                         .gradients = plan_.weights[static_cast<size_t>(stage)],
                         .start = events_.now()};
      update.length = plan_.update(stage, update.peers);
      longest = std::max(longest, update.length.both());
      run_.updates.push_back(std::move(update));
    }
    run_.step_ends.push_back(events_.after(longest));
    events_.at(events_.after(longest), {.what = What::step_begins});
  }

  // --- peers at work ---

  void take(int to, const Task& task) {
    if (!peers_[to].ready || peers_[to].stage != task.stage) return wiring_.wire(task);
    peers_[to].queue(task);
    start_next(to);
  }

  void start_next(int number) {
    Peer& one = peers_[number];
    if (!one.start_next(events_.now())) return;
    const Time length = plan_.compute(number, one.running.stage, one.running.backward);
    events_.at(events_.after(length), {.what = What::computed, .peer = number, .epoch = one.epoch});
  }

  void finish(int number, uint32_t epoch) {
    Peer& one = peers_[number];
    if (one.epoch != epoch) return;
    one.finish(events_.now());
    Task task = one.running;
    run_.spans.push_back(
        {number, task.stage, task.micro_batch, task.backward, one.started, events_.now()});
    task.from = number;
    go_on(task);
    start_next(number);
  }

  void go_on(Task task) {
    if (!task.backward && task.stage + 1 < plan_.stages) {
      ++task.stage;
    } else if (!task.backward) {
      task.backward = true;
    } else if (task.stage > 0) {
      --task.stage;
    } else {
      return end_micro_batch(task.micro_batch);
    }
    wiring_.wire(task);
  }

  // --- coming and going ---

  void plan_departure(int number) {
    if (plan_.mtbf == longest_time) return;
    const double wait = -std::log(random_.uniform()) * in_seconds(plan_.mtbf);
    if (wait < in_seconds(longest_time - events_.now()) / 2)
      events_.at(events_.after(seconds(wait)), {.what = What::leaves, .peer = number});
  }

  /// Gives up what the peer had to do and wires it anew.
  void give_up(int number) {
    run_.repeated += peers_[number].busy;
    for (const Task& task : peers_[number].give_up()) wiring_.wire(task);
  }

  void leave(int number) {
    ++run_.preemptions;
    peers_[number].present = false;
    give_up(number);
    events_.at(events_.after(plan_.downtime), {.what = What::returns, .peer = number});
  }

  void come_back(int number) {
    peers_[number].present = true;
    fetch(number, peers_.busiest_stage());
    plan_departure(number);
  }

  /// The peer gets the weights of `stage` from one that has them, if there is one.
  void fetch(int number, int stage) {
    const int source = peers_.least_expected(stage);
    Peer& one = peers_[number];
    one.stage = stage;
    one.average = 0;
    one.expected = source == nobody ? 0 : peers_[source].expected;
    Time end = events_.now();
    if (source != nobody)
      end = wiring_.message({.from = source,
                             .to = number,
                             .bytes = plan_.weights[static_cast<size_t>(stage)],
                             .stage = stage});
    events_.at(end, {.what = What::is_ready, .peer = number, .epoch = one.epoch});
  }

  void be_ready(int number, uint32_t epoch) {
    if (peers_[number].epoch != epoch) return;
    peers_[number].ready = true;
    std::vector<Task> tasks;
    tasks.swap(peers_.waiting(peers_[number].stage));
    for (const Task& task : tasks) wiring_.wire(task);
  }

  void rebalance() {
    const int calmest = peers_.calmest_stage(), busiest = peers_.busiest_stage();
    // A move helps only where the one stage waits while the other has work left over.
    if (calmest == nobody || peers_.load(busiest) < peers_.load(calmest) + 1) return;
    const int mover = peers_.least_expected(calmest);
    if (mover == nobody) return;
    ++run_.moves;
    give_up(mover);
    fetch(mover, busiest);
  }

  const SwarmPlan& plan_;
  Random random_;
  Events events_;
  Peers peers_;
  Wiring wiring_;
  int next_ = 0, left_ = 0;  ///< of this step's micro-batches
  SwarmRun run_;
};

}  // namespace
}  // namespace swarm

SwarmRun run_swarm(const SwarmPlan& plan) { return swarm::Swarm(plan).run(); }

}  // namespace pipewright
