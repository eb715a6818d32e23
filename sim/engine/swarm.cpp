#include "engine/swarm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "base/error.hpp"

namespace pipewright {
namespace {

constexpr uint64_t most_events = 100'000'000;
constexpr double memory = 0.9;  // of the moving average
constexpr int nobody = -1;

struct Task {
  int micro_batch = 0, stage = 0;
  bool backward = false;
  int from = nobody;  ///< the peer that has its input
};

struct Peer {
  int stage = 0;
  bool present = true;
  bool ready = true;   ///< it has its stage's weights
  uint32_t epoch = 0;  ///< counts how often what it did was given up
  Time send_free, receive_free;
  std::deque<Task> forwards, backwards;
  bool busy = false;
  Task running;
  Time started;
  double expected = 0;  ///< seconds of work given to it so far
  double average = 0;   ///< seconds a task took
};

enum class What : uint8_t { arrives, computed, leaves, returns, is_ready, rebalance, step_begins };

struct Event {
  What what = What::arrives;
  int peer = nobody;
  uint32_t epoch = 0;
  Task task;
};

class Swarm {
 public:
  explicit Swarm(const SwarmPlan& plan) : plan_(plan), random_(plan.seed), waiting_(plan.stages) {
    for (const int stage : plan.stage_of) peers_.push_back({.stage = stage});
  }

  SwarmRun run() {
    for (int peer = 0; peer < count(); ++peer) plan_departure(peer);
    if (plan_.rebalance < longest_time) at(plan_.rebalance, {.what = What::rebalance});
    begin_step();
    while (static_cast<int>(run_.step_ends.size()) < plan_.steps) {
      if (events_.empty()) throw Failure("every peer of the swarm left for good");
      const auto next = events_.begin();
      now_ = next->first.first;
      const Event event = next->second;
      events_.erase(next);
      if (++run_.events > most_events)
        throw Failure("the swarm loses work as fast as it does any: 10^8 events without an end");
      handle(event);
    }
    return std::move(run_);
  }

 private:
  int count() const { return static_cast<int>(peers_.size()); }
  Peer& peer(int number) { return peers_[static_cast<size_t>(number)]; }

  void at(Time time, Event event) {
    if (time < longest_time) events_.emplace(std::pair(time, ++pushed_), event);
  }
  Time after(Time by) const { return by > longest_time - now_ ? longest_time : now_ + by; }

  double uniform() {  // splitmix64, Steele, Lea, Flood 2014
    uint64_t x = random_ += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (static_cast<double>((x ^ (x >> 31)) >> 11) + 0.5) * 0x1p-53;
  }

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
        return at(after(plan_.rebalance), {.what = What::rebalance});
      case What::step_begins:
        return begin_step();
    }
  }

  // --- steps ---

  void begin_step() {
    left_ = plan_.micro_batches;
    next_ = static_cast<int>(run_.step_ends.size()) * plan_.micro_batches;
    for (int k = 0; k < std::min(plan_.in_flight, plan_.micro_batches); ++k) begin_micro_batch();
  }

  void begin_micro_batch() {
    const int micro_batch = next_++;
    path_[micro_batch].assign(static_cast<size_t>(plan_.stages), nobody);
    wire({.micro_batch = micro_batch});
  }

  void end_micro_batch(int micro_batch) {
    path_.erase(micro_batch);
    const int end = (static_cast<int>(run_.step_ends.size()) + 1) * plan_.micro_batches;
    if (next_ < end) begin_micro_batch();
    if (--left_ > 0) return;
    Time longest;
    for (int stage = 0; stage < plan_.stages; ++stage)
      longest = std::max(longest, plan_.update(stage, serving(stage)));
    run_.step_ends.push_back(after(longest));
    at(after(longest), {.what = What::step_begins});
  }

  std::vector<int> serving(int stage) {
    std::vector<int> all;
    for (int k = 0; k < count(); ++k)
      if (peer(k).present && peer(k).stage == stage) all.push_back(k);
    return all;
  }

  // --- wiring ---

  int least_expected(int stage) {
    int best = nobody;
    for (const int k : serving(stage))
      if (peer(k).ready && (best == nobody || peer(k).expected < peer(best).expected)) best = k;
    return best;
  }

  /// Seconds that a task will take: as those before it, as on a peer of the same stage, or, as the
  /// authors' code has it, one.
  double expectation(int number) {
    if (peer(number).average > 0) return peer(number).average;
    for (const int other : serving(peer(number).stage))
      if (peer(other).average > 0) return peer(other).average;
    return 1;
  }

  /// Sends a task to a peer of its stage, or lets it wait for one.
  void wire(Task task) {
    int& before = path_.at(task.micro_batch)[static_cast<size_t>(task.stage)];
    int to = task.backward ? before : nobody;
    const bool is_back = to != nobody && peer(to).ready && peer(to).stage == task.stage;
    if (!is_back) to = least_expected(task.stage);
    if (to == nobody) {
      waiting_[static_cast<size_t>(task.stage)].push_back(task);
      return;
    }
    peer(to).expected += expectation(to);
    const bool needs_input = task.backward && !is_back && task.stage > 0;
    before = to;
    send(task, to, needs_input);
  }

  Bytes input_bytes(const Task& task) const {
    const bool begins_anew = task.backward && task.stage + 1 == plan_.stages;  // from the loss
    if (task.from == nobody || begins_anew) return {};                         // from tokens
    return task.backward ? plan_.backward_output[static_cast<size_t>(task.stage) + 1]
                         : plan_.forward_output[static_cast<size_t>(task.stage) - 1];
  }

  void send(const Task& task, int to, bool with_input) {
    Bytes bytes = input_bytes(task);
    if (with_input) bytes += plan_.forward_output[static_cast<size_t>(task.stage) - 1];
    Time end = now_;
    if (task.from != nobody && task.from != to) end = message(task.from, to, bytes);
    at(end, {.what = What::arrives, .peer = to, .task = task});
  }

  /// Returns when `bytes` from one peer arrive at the other.
  Time message(int from, int to, Bytes bytes) {
    const Time all = plan_.transfer(from, to, bytes);
    const Time moving = all - plan_.transfer(from, to, {});
    const Time start = std::max({now_, peer(from).send_free, peer(to).receive_free});
    if (all > longest_time - start) return longest_time;
    peer(from).send_free = peer(to).receive_free = start + moving;
    run_.bytes += static_cast<double>(bytes.count);
    return start + all;
  }

  // --- peers at work ---

  void take(int to, const Task& task) {
    Peer& at_peer = peer(to);
    if (!at_peer.ready || at_peer.stage != task.stage) return wire(task);
    (task.backward ? at_peer.backwards : at_peer.forwards).push_back(task);
    start_next(to);
  }

  void start_next(int number) {
    Peer& one = peer(number);
    if (one.busy || (one.forwards.empty() && one.backwards.empty())) return;
    std::deque<Task>& queue = one.backwards.empty() ? one.forwards : one.backwards;
    one.running = queue.front();
    queue.pop_front();
    one.busy = true;
    one.started = now_;
    const Time length = plan_.compute(number, one.running.stage, one.running.backward);
    at(after(length), {.what = What::computed, .peer = number, .epoch = one.epoch});
  }

  void finish(int number, uint32_t epoch) {
    Peer& one = peer(number);
    if (one.epoch != epoch) return;
    one.busy = false;
    const Time took = now_ - one.started;
    const double took_s = in_seconds(took);
    one.average = one.average == 0 ? took_s : memory * one.average + (1 - memory) * took_s;
    Task task = one.running;
    run_.spans.push_back({number, task.stage, task.micro_batch, task.backward, one.started, now_});
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
    wire(task);
  }

  // --- coming and going ---

  void plan_departure(int number) {
    if (plan_.mtbf == longest_time) return;
    const double wait = -std::log(uniform()) * in_seconds(plan_.mtbf);
    if (wait < in_seconds(longest_time - now_) / 2)
      at(after(seconds(wait)), {.what = What::leaves, .peer = number});
  }

  /// Gives up what the peer had to do and wires it anew.
  void give_up(int number) {
    Peer& one = peer(number);
    ++one.epoch;
    one.ready = false;
    std::vector<Task> tasks;
    if (one.busy) tasks.push_back(one.running), ++run_.repeated;
    tasks.insert(tasks.end(), one.backwards.begin(), one.backwards.end());
    tasks.insert(tasks.end(), one.forwards.begin(), one.forwards.end());
    one.busy = false;
    one.forwards.clear();
    one.backwards.clear();
    for (const Task& task : tasks) wire(task);
  }

  void leave(int number) {
    ++run_.preemptions;
    peer(number).present = false;
    give_up(number);
    at(after(plan_.downtime), {.what = What::returns, .peer = number});
  }

  void come_back(int number) {
    peer(number).present = true;
    fetch(number, busiest_stage());
    plan_departure(number);
  }

  /// The peer gets the weights of `stage` from one that has them, if there is one.
  void fetch(int number, int stage) {
    const int source = least_expected(stage);
    Peer& one = peer(number);
    one.stage = stage;
    one.average = 0;
    one.expected = source == nobody ? 0 : peer(source).expected;
    Time end = now_;
    if (source != nobody) end = message(source, number, plan_.weights[static_cast<size_t>(stage)]);
    at(end, {.what = What::is_ready, .peer = number, .epoch = one.epoch});
  }

  void be_ready(int number, uint32_t epoch) {
    if (peer(number).epoch != epoch) return;
    peer(number).ready = true;
    std::vector<Task> tasks;
    tasks.swap(waiting_[static_cast<size_t>(peer(number).stage)]);
    for (const Task& task : tasks) wire(task);
  }

  // --- rebalancing ---

  /// Queued and running tasks per peer; a stage without peers is the busiest there is.
  double load(int stage) {
    const std::vector<int> all = serving(stage);
    if (all.empty()) return std::numeric_limits<double>::infinity();
    double tasks = static_cast<double>(waiting_[static_cast<size_t>(stage)].size());
    for (const int k : all)
      tasks += static_cast<double>(peer(k).forwards.size() + peer(k).backwards.size()) +
               (peer(k).busy ? 1 : 0);
    return tasks / static_cast<double>(all.size());
  }

  int busiest_stage() {
    int busiest = 0;
    for (int stage = 1; stage < plan_.stages; ++stage)
      if (load(stage) > load(busiest)) busiest = stage;
    return busiest;
  }

  void rebalance() {
    int calmest = nobody;
    for (int stage = 0; stage < plan_.stages; ++stage)
      if (serving(stage).size() > 1 && (calmest == nobody || load(stage) < load(calmest)))
        calmest = stage;
    const int busiest = busiest_stage();
    // A move helps only where the one stage waits while the other has work left over.
    if (calmest == nobody || load(busiest) < load(calmest) + 1) return;
    const int mover = least_expected(calmest);
    if (mover == nobody) return;
    ++run_.moves;
    give_up(mover);
    fetch(mover, busiest);
  }

  const SwarmPlan& plan_;
  uint64_t random_;
  Time now_;
  uint64_t pushed_ = 0;
  std::map<std::pair<Time, uint64_t>, Event> events_;
  std::vector<Peer> peers_;
  std::map<int, std::vector<int>> path_;    ///< by micro-batch and stage: who ran its forward
  std::vector<std::vector<Task>> waiting_;  ///< by stage: for want of a peer
  int next_ = 0, left_ = 0;                 ///< of this step's micro-batches
  SwarmRun run_;
};

}  // namespace

SwarmRun run_swarm(const SwarmPlan& plan) { return Swarm(plan).run(); }

}  // namespace pipewright
