// Order in time matters only where several ops compete for a lane. Everything else follows from
// what precedes it: as soon as the last of that is known to end, so is when the op starts and ends,
// and what follows it is looked at in turn, whatever the time.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/clock_exceeded.hpp"
#include "base/error.hpp"
#include "base/event_queue.hpp"
#include "base/progress.hpp"
#include "base/required.hpp"
#include "base/stop.hpp"
#include "engine/competition.hpp"
#include "engine/engine.hpp"
#include "engine/event_nodes.hpp"
#include "engine/in_flight.hpp"
#include "engine/remaining.hpp"

namespace pipewright {
namespace {

constexpr uint32_t of_lane = 0x80000000u;  ///< an event is of a lane, not of an op

class Run {
 public:
  /// `contention` where ops share links: those may take longer than their `duration`.
  Run(const Program& program, std::span<const Time> duration, Decisions* decisions,
      const Contention* contention)
      : program_(program), duration_(duration), decisions_(decisions), nodes_(program) {
    if (contention) share_links(*contention);
    if (decisions_) decisions_->lane_ops = program_.lane_ops;
    if (!all_in_order(program_)) find_competitors();
    stack_.reserve(1024);
  }

  /// Starts from known ends; must be called before run().
  void begin_after(std::span<const Span> before) { nodes_.begin_after(before); }

  PacketCounts packet_counts() const { return flows_ ? flows_->packet_counts() : PacketCounts{}; }

  Timeline run() {
    for (OpId op = 0; op < nodes_.size(); ++op)
      if (nodes_[op].waits == 0) release(op);
    run_stack();
    std::vector<uint32_t> events;
    Progress* const progress = progress_of_thread();
    if (progress) progress->begin("simulating", nodes_.size());
    for (;;) {
      if (progress) progress->done.store(count_, std::memory_order_relaxed);
      if (flows_) end_flows();
      if (queue_.empty()) break;
      stop_here();
      const Time now = queue_.take(events);
      for (const uint32_t event : events) happen(event, now);
      // Everything that becomes ready at this instant does so before anything is chosen.
      if (!queue_.more_now()) choose(now);
    }
    if (count_ < nodes_.size()) throw Failure(describe_deadlock(program_, nodes_.ended()));
    return nodes_.timeline(duration_);
  }

 private:
  void share_links(const Contention& contention) {
    flows_.emplace(contention, duration_);
    taken_.assign(duration_.begin(), duration_.end());
    duration_ = taken_;
    for (OpId op = 0; op < nodes_.size(); ++op) nodes_[op].shares = flows_->carries(op);
  }

  InFlightOps& flows() { return required(flows_, "ops are in flight where some share links"); }

  void find_competitors() {
    nodes_.note_competitors(program_);
    choices_.resize(program_.lanes.size());
    unmatched_.resize(program_.lanes.size());
  }

  /// The ends of all that `op` comes after are known.
  void release(OpId op) {
    EventNode& node = nodes_[op];
    node.start = std::max(node.start, node.ready);
    if (node.lane != EventNode::no_lane)
      queue_.push(node.start, op);
    else
      stack_.push_back(op);
  }

  void run_stack() {
    while (!stack_.empty()) {
      const OpId op = stack_.back();
      stack_.pop_back();
      begin(op);
    }
  }

  Time end_of(OpId op) const { return nodes_[op].start + duration_[op]; }

  void begin(OpId op) {
    EventNode& node = nodes_[op];
    const Time end = later(node.start, duration_[op]);
    if (node.shares) [[unlikely]] {
      node.waits = EventNode::in_flight;
      return queue_.push(node.start + flows().latency(op), op);
    }
    finish(op, end);
  }

  void finish(OpId op, Time end) {
    EventNode& node = nodes_[op];
    node.waits = EventNode::ended;
    ++count_;
    if (node.more) {
      for (const Edge edge : program_.after(op)) pass_on(edge, end);
    } else {
      if (node.to[0].to_and_kind != none) pass_on(node.to[0], end);
      if (node.to[1].to_and_kind != none) pass_on(node.to[1], end);
    }
  }

  void pass_on(Edge edge, Time end) {
    EventNode& next = nodes_[edge.to()];
    Time& latest = edge.is_lane() ? next.start : next.ready;
    latest = std::max(latest, end);
    if (--next.waits == 0) release(edge.to());
  }

  /// All that end, or leave their senders, before anything else happens.
  void end_flows() {
    for (Time now = flows_->next_news(queue_.next()); now < longest_time && now <= queue_.next();
         now = flows_->next_news(queue_.next())) {
      flows_->take_ended(now, ended_flows_);
      for (const OpId op : ended_flows_) {
        taken_[op] = now - nodes_[op].start;
        finish(op, now);
        const auto receiver = receiver_of_.find(op);
        if (receiver != receiver_of_.end()) receive(op, receiver->second);
      }
      run_stack();
    }
  }

  void happen(uint32_t event, Time now) {
    if (event & of_lane) {
      choices_[event & ~of_lane].has_event = false;
      return choices_.touch(event & ~of_lane);
    }
    if (nodes_[event].waits == EventNode::in_flight) return flows().begin(event, now);
    const LaneId lane = nodes_[event].lane;
    if (program_.lanes[lane].policy == LanePolicy::matching) return match(lane, event);
    Choice& choice = choices_[lane];
    if (choice.kept_for == event)
      start(lane, event, now);
    else
      choice.waiting.push(now, event);
    choices_.touch(lane);
  }

  void choose(Time now) {
    choices_.look_at_changed([&](LaneId lane, Choice& choice) {
      const auto has_work = [&] { return !choice.waiting.empty() && choice.kept_for == none; };
      if (has_work() && choice.free_at <= now) start(lane, choice.waiting.pop(), now);
      if (!has_work() || choice.has_event) return;
      choice.has_event = true;
      queue_.push(choice.free_at, lane | of_lane);
    });
  }

  void start(LaneId lane, OpId op, Time now) {
    Choice& choice = choices_[lane];
    ensure(!nodes_[op].shares, "what shares links holds no lane that others compete for");
    nodes_[op].start = now;
    begin(op);
    choice.free_at = end_of(op);
    choice.kept_for = nodes_[op].keeps_lane ? op + 1 : none;
    if (decisions_) decisions_->lane_ops[program_.lane_offset[lane] + choice.started++] = op;
    run_stack();
  }

  bool is_message(OpId op) const { return program_.type(op).kind == OpKind::transfer; }

  void match(LaneId lane, OpId op) {
    const bool sent = is_message(op);
    if (sent)
      begin(op);
    else
      nodes_[op].waits = EventNode::unmatched;
    const OpId other = unmatched_[lane].match(op, sent);
    if (other != none) sent ? pair_up(op, other) : pair_up(other, op);
    run_stack();
  }

  void pair_up(OpId message, OpId receiver) {
    if (decisions_) decisions_->received.push_back({message, receiver});
    if (nodes_[message].waits == EventNode::in_flight)
      receiver_of_.emplace(message, receiver);
    else
      receive(message, receiver);
  }

  void receive(OpId message, OpId receiver) {
    EventNode& node = nodes_[receiver];
    node.ready = std::max(node.ready, end_of(message));
    node.start = node.ready;
    begin(receiver);
  }

  const Program& program_;
  std::span<const Time> duration_;
  Decisions* decisions_;
  EventNodes nodes_;
  size_t count_ = 0;         // ops whose end is known
  std::vector<OpId> stack_;  // ops that can begin at once
  EventQueue queue_;
  // Empty where all lanes are in order.
  Choices choices_;
  std::vector<Unmatched> unmatched_;  // by lane
  // Empty where nothing shares links.
  std::optional<InFlightOps> flows_;
  std::vector<Time> taken_;                     // by op: what `duration_` is then
  std::unordered_map<OpId, OpId> receiver_of_;  // by message in flight
  std::vector<OpId> ended_flows_;
};

}  // namespace

Timeline run_events(const Program& program, std::span<const Time> duration, Decisions* decisions,
                    const Contention* contention, PacketCounts* packets) {
  Run run(program, duration, decisions, contention);
  Timeline timeline = run.run();
  if (packets) *packets = run.packet_counts();
  return timeline;
}

Timeline run_shared(Time until, Timeline alone, const Program& program,
                    std::span<const Time> duration, const Contention& contention) {
  if (until == longest_time) return alone;
  if (!all_in_order(program)) return run_events(program, duration, nullptr, &contention);
  return run_from(until, std::move(alone), program, duration, contention);
}

Timeline run_from(Time until, Timeline alone, const Program& program,
                  std::span<const Time> duration, const Contention& contention) {
  ensure(all_in_order(program), "what was chosen in lanes that are not in order is not known");
  const auto left = std::count_if(alone.spans.begin(), alone.spans.end(),
                                  [&](const Span& span) { return span.end > until; });
  if (2 * static_cast<size_t>(left) > alone.spans.size()) {
    // To take the rest apart would cost more than to run what is known once more.
    alone.spans = {};
    return run_events(program, duration, nullptr, &contention);
  }
  const RemainingRun remaining = remaining_of(program, duration, contention, alone.spans, until);
  Run run(remaining.program, remaining.duration, nullptr, &remaining.contention);
  run.begin_after(remaining.before);
  const Timeline late = run.run();
  for (size_t k = 0; k < remaining.ops.size(); ++k) alone.spans[remaining.ops[k]] = late.spans[k];
  return alone;
}

bool all_in_order(const Program& program) {
  return std::all_of(program.lanes.begin(), program.lanes.end(),
                     [](const Lane& lane) { return lane.policy == LanePolicy::in_order; });
}

Timeline simulate(const Program& program, std::span<const Time> duration) {
  return all_in_order(program) ? run_longest_path(program, duration)
                               : run_events(program, duration);
}

}  // namespace pipewright
