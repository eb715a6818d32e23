#include "result/accounts/idle_time.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace pipewright {

IdleTime::IdleTime(const Program& program, const Timeline& timeline)
    : program_(program),
      timeline_(timeline),
      precedence_(program),
      participants_(program, timeline),
      seen_(program.ops.size()) {
  for (const ProgramRank& rank : program.ranks)
    if (rank.pipeline != program.ranks.front().pipeline) one_stage_ = false;
}

void IdleTime::start_rank(uint32_t rank) {
  repetitions_ = timeline_.repetitions(rank);
  of_rank_ = participants_.of(rank);
  next_ = 0;
  candidates_.clear();
}

/// Keeps what the rank takes part in while the gap lasts.
void IdleTime::find_candidates(const Gap& gap) {
  for (; next_ < of_rank_.size() && span(of_rank_[next_]).start < gap.end; ++next_)
    candidates_.push_back(of_rank_[next_]);
  std::erase_if(candidates_, [&](OpId op) { return span(op).end <= gap.begin; });
}

bool IdleTime::finds(OpId op) { return std::exchange(seen_[op], search_) != search_; }

void IdleTime::add_under_way(OpId op, const Gap& gap) {
  const Span span = this->span(op);
  const Time begin = std::max(span.start, gap.begin), end = std::min(span.end, gap.end);
  if (begin < end) under_way_.push_back({begin, end, span.end, traffic_of(program_, op)});
}

/// What ranks do first in the next iteration comes after all of this one. Nothing follows a trace.
void IdleTime::find_before_next_iteration(const Gap& gap) {
  if (!program_.labels.empty()) return;
  for (const OpId op : candidates_) add_under_way(op, gap);
}

/// The candidates that end by `start`: how many, and when the first does.
std::pair<size_t, Time> IdleTime::ended_by(Time start) const {
  size_t count = 0;
  Time first = longest_time;
  for (const OpId op : candidates_) {
    const Time end = span(op).end;
    if (end > start) continue;
    ++count;
    first = std::min(first, end);
  }
  return {count, first};
}

/// Searches backwards from what is computed next, the nearest first, as far as the gap reaches and
/// until every candidate is found: mostly that is what it waits for itself. What comes before an op
/// ends by its start. So candidates that end later than the gap cannot be found. What starts before
/// the first of the others ends comes after none of them.
void IdleTime::find_waits(const Gap& gap) {
  under_way_.clear();
  if (gap.next == none) return find_before_next_iteration(gap);
  const Time start = span(gap.next).start;
  auto [left, first_end] = ended_by(start);
  ++search_;
  queue_.assign(1, gap.next);
  for (size_t next = 0; next < queue_.size() && left > 0; ++next) {
    for (const OpId before : precedence_.before(queue_[next])) {
      const Span span = this->span(before);
      if (span.end <= gap.begin || !finds(before)) continue;
      if (span.start >= first_end) queue_.push_back(before);
      if (std::find(candidates_.begin(), candidates_.end(), before) == candidates_.end()) continue;
      add_under_way(before, gap);
      if (span.end <= start) --left;
    }
  }
}

/// Gives every moment to the communication under way that ends last; of several the first kind.
/// Returns how much of the gap is left.
Time IdleTime::paint(const Gap& gap, Breakdown& breakdown) {
  std::sort(under_way_.begin(), under_way_.end(), [](const UnderWay& a, const UnderWay& b) {
    return std::tie(b.over, a.traffic) < std::tie(a.over, b.traffic);
  });
  Time left = gap.end - gap.begin, painted_from = gap.end;
  for (const UnderWay& one : under_way_) {
    // All before it in the list end later: from the first of their starts on nothing is left.
    const Time end = std::min(one.end, painted_from);
    if (end <= one.begin) continue;
    breakdown[one.traffic] += end - one.begin;
    left -= end - one.begin;
    painted_from = one.begin;
  }
  return left;
}

/// Ranks of one stage wait for each other in their collectives, the next one or, at the end, the
/// last one. A rank that takes part in none waits for its host.
Time& IdleTime::place_of_rest(Breakdown& breakdown) {
  if (!one_stage_) return breakdown.bubble;
  if (of_rank_.empty()) return breakdown.host;
  if (under_way_.empty()) return breakdown[traffic_of(program_, of_rank_.back())];
  const auto earlier = [](const UnderWay& a, const UnderWay& b) {
    return std::tie(a.begin, a.traffic) < std::tie(b.begin, b.traffic);
  };
  return breakdown[std::min_element(under_way_.begin(), under_way_.end(), earlier)->traffic];
}

void IdleTime::account(const Gap& gap, Breakdown& breakdown) {
  if (gap.end <= gap.begin) return;
  find_candidates(gap);
  find_waits(gap);
  const Time left = paint(gap, breakdown);
  if (left > Time{}) place_of_rest(breakdown) += left;
}

}  // namespace pipewright
