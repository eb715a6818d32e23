#include "engine/paces.hpp"

#include <algorithm>
#include <numeric>

#include "engine/contention.hpp"
#include "engine/engine.hpp"

namespace pipewright {
namespace {

/// Disjoint sets of ranks.
class Sets {
 public:
  explicit Sets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }

  uint32_t of(uint32_t rank) {
    while (parent_[rank] != rank) rank = parent_[rank] = parent_[parent_[rank]];
    return rank;
  }
  void join(uint32_t a, uint32_t b) { parent_[std::max(of(a), of(b))] = std::min(of(a), of(b)); }

 private:
  std::vector<uint32_t> parent_;
};

/// Tells of each op whether it is of a micro-batch that stands for others.
std::vector<bool> repeated_ops(const Program& program) {
  std::vector<bool> repeated(program.ops.size());
  for (OpId op = 0; op < repeated.size(); ++op)
    repeated[op] = program.repeated.has(program.ops[op].micro_batch);
  return repeated;
}

/// Returns the most of `spans` that there are at one time.
size_t most_at_once(std::span<const Span> spans) {
  std::vector<Time> starts, ends;
  for (const Span& span : spans) {
    starts.push_back(span.start);
    ends.push_back(span.end);
  }
  std::ranges::sort(starts);
  std::ranges::sort(ends);
  size_t most = 0, ended = 0;
  for (size_t started = 0; started < starts.size(); ++started) {
    while (ends[ended] <= starts[started] && ended < started) ++ended;
    most = std::max(most, started + 1 - ended);
  }
  return most;
}

/// The routes of ops that are repeated.
class RepeatedRoutes {
 public:
  /// Joins all ranks of a route in `ranks`.
  RepeatedRoutes(const Program& program, const Contention& contention, const Timeline& timeline,
                 const std::vector<bool>& repeated, Sets& ranks)
      : contention_(contention), rank_of_(contention.routes.size(), none) {
    for (OpId op = 0; op < repeated.size(); ++op) {
      const uint32_t route = contention.route_of[op];
      if (!repeated[op] || route == none) continue;
      if (rank_of_[route] == none) rank_of_[route] = program.ops[op].rank;
      ranks.join(rank_of_[route], program.ops[op].rank);
    }
    std::vector<std::vector<Span>> spans(contention.routes.size());
    for (OpId op = 0; op < repeated.size(); ++op) {
      const uint32_t route = contention.route_of[op];
      if (route != none && rank_of_[route] != none) spans[route].push_back(timeline.spans[op]);
    }
    for (const std::vector<Span>& of_route : spans)
      at_once_.push_back(static_cast<double>(most_at_once(of_route)));
  }

  /// Joins the ranks whose routes might fill a link together.
  void join_by_links(Sets& ranks) const {
    for (const SharedLink& link : contention_.links) {
      if (most_over(link) <= link.capacity * (1 + load_tolerance)) continue;
      uint32_t first = none;
      for (const SharedLink::Load& load : link.loads) {
        if (rank_of_[load.route] == none) continue;
        if (first == none) first = rank_of_[load.route];
        ranks.join(first, rank_of_[load.route]);
      }
    }
  }

 private:
  double most_over(const SharedLink& link) const {
    double sum = 0;
    for (const SharedLink::Load& load : link.loads) {
      if (rank_of_[load.route] == none) continue;
      const SharedRoute& route = contention_.routes[load.route];
      sum += load.bytes * (route.bandwidth / route.bytes) * load.times * at_once_[load.route];
    }
    return sum;
  }

  const Contention& contention_;
  std::vector<uint32_t> rank_of_;  // one of the ranks; `none` of routes that are not repeated
  std::vector<double> at_once_;    // the most of its ops
};

/// Where an op stands to what its group repeats.
enum class Phase : uint8_t { before, within, after };

/// Lets groups meet in time.
class Meeting {
 public:
  Meeting(const Program& program, const RankGroups& groups, Timeline& timeline)
      : program_(program), groups_(groups), timeline_(timeline) {
    phase_.reserve(program.ops.size());
    for (OpId op = 0; op < program.ops.size(); ++op) phase_.push_back(phase_of(op));
  }

  /// Tells whether groups meet before or after what they repeat alone.
  bool is_outside() const {
    for (OpId op = 0; op < program_.ops.size(); ++op)
      for (const Edge edge : program_.after(op))
        if ((phase_[op] == Phase::within || phase_[op] != phase_[edge.to()]) &&
            group_of(op) != group_of(edge.to()))
          return false;
    return true;
  }

  void set_pauses() {
    const auto left_out = [](const std::vector<Repetition>& one) {
      return one.front().again * one.front().period;
    };
    const Time least = left_out(*std::ranges::min_element(timeline_.paces, {}, left_out));
    for (std::vector<Repetition>& one : timeline_.paces) one.front().pause = left_out(one) - least;
  }

  /// Starts every op that comes after a period once what it comes after has ended, and the pause
  /// between them.
  void run_again() {
    std::vector<Span>& spans = timeline_.spans;
    for (OpId op = 0; op < spans.size(); ++op)  // until it starts, its end is its length
      if (phase_[op] == Phase::after) spans[op] = {{}, {}, spans[op].end - spans[op].start};
    std::vector<uint32_t> waits = program_.waits;
    std::vector<OpId> stack;
    const auto pass_on = [&](OpId op) {
      for (const Edge edge : program_.after(op)) {
        const OpId next = edge.to();
        if (phase_[next] != Phase::after) continue;
        Time& latest = edge.is_lane() ? spans[next].start : spans[next].ready;
        latest = std::max(latest, spans[op].end + pause_between(op, next));
        if (--waits[next] == 0) stack.push_back(next);
      }
    };
    for (OpId op = 0; op < spans.size(); ++op)
      if (phase_[op] != Phase::after) pass_on(op);
    while (!stack.empty()) {
      const OpId op = stack.back();
      stack.pop_back();
      spans[op].start = std::max(spans[op].start, spans[op].ready);
      spans[op].end += spans[op].start;
      pass_on(op);
    }
  }

  /// Tells whether what shares links with a group that repeats itself, and is of another, runs
  /// before or after all of that.
  bool leaves_links_alone(const Contention& contention) const {
    std::vector<bool> repeats(contention.routes.size());
    const std::vector<bool> repeated = repeated_ops(program_);
    for (OpId op = 0; op < repeated.size(); ++op)
      if (repeated[op] && contention.route_of[op] != none) repeats[contention.route_of[op]] = true;
    Time first = longest_time, last;
    for (const std::vector<Repetition>& one : timeline_.paces) {
      first = std::min(first, one.front().begin);
      last = std::max(last, one.front().end() + one.front().pause);
    }
    for (OpId op = 0; op < repeated.size(); ++op) {
      if (contention.route_of[op] == none || repeats[contention.route_of[op]]) continue;
      const Span& span = timeline_.spans[op];
      if (span.end > first && span.start < last) return false;
    }
    return true;
  }

 private:
  uint32_t group_of(OpId op) const { return groups_.of(program_.ops[op].rank); }
  const Repetition& repetition_of(OpId op) const { return timeline_.paces[group_of(op)].front(); }

  Phase phase_of(OpId op) const {
    const Time start = timeline_.spans[op].start;
    if (start < repetition_of(op).begin) return Phase::before;
    return start < repetition_of(op).end() ? Phase::within : Phase::after;
  }

  /// Returns the pause between an op and one that follows it and comes after a period.
  Time pause_between(OpId op, OpId next) const {
    const bool passes = group_of(op) == group_of(next) && phase_[op] != Phase::after;
    return passes ? repetition_of(op).pause : Time{};
  }

  const Program& program_;
  const RankGroups& groups_;
  Timeline& timeline_;
  std::vector<Phase> phase_;  // by op
};

}  // namespace

RankGroups coupled_ranks(const Program& program, const Timeline& timeline,
                         const Contention* contention) {
  Sets ranks(program.ranks.size());
  const std::vector<bool> repeated = repeated_ops(program);
  for (OpId op = 0; op < repeated.size(); ++op)
    if (repeated[op])
      for (const Edge edge : program.after(op))
        if (repeated[edge.to()]) ranks.join(program.ops[op].rank, program.ops[edge.to()].rank);
  if (contention)
    RepeatedRoutes(program, *contention, timeline, repeated, ranks).join_by_links(ranks);
  RankGroups groups{std::vector<uint32_t>(program.ranks.size()), 0};
  std::vector<uint32_t> number(program.ranks.size(), none);
  for (uint32_t rank = 0; rank < program.ranks.size(); ++rank) {
    uint32_t& of_set = number[ranks.of(rank)];
    if (of_set == none) of_set = groups.count++;
    groups.of_rank[rank] = of_set;
  }
  return groups;
}

std::optional<Timeline> with_pauses(const Program& program, const RankGroups& groups,
                                    const Contention* contention, Timeline timeline) {
  const auto is_one = [](const std::vector<Repetition>& pace) { return pace.size() == 1; };
  if (!all_in_order(program) || !std::ranges::all_of(timeline.paces, is_one)) return std::nullopt;
  timeline.pace_of = groups.of_rank;
  Meeting meeting(program, groups, timeline);
  if (!meeting.is_outside()) return std::nullopt;
  meeting.set_pauses();
  meeting.run_again();
  if (!contention) return timeline;
  std::vector<Time> duration;
  duration.reserve(timeline.spans.size());
  for (const Span& span : timeline.spans) duration.push_back(span.end - span.start);
  if (first_excess(*contention, duration, timeline) < longest_time) return std::nullopt;
  if (!meeting.leaves_links_alone(*contention)) return std::nullopt;
  return timeline;
}

}  // namespace pipewright
