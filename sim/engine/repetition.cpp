#include "engine/repetition.hpp"

#include <algorithm>
#include <climits>
#include <functional>
#include <iterator>
#include <ranges>

#include "engine/op_series.hpp"

namespace pipewright {
namespace {

/// Periods are tried up to so many times the unit.
constexpr int most_units = 64;
/// Ranks may keep several paces, as where all forwards come first.
constexpr size_t most_paces = 8;
/// For each pace the longest gaps are tried.
constexpr size_t most_gaps = 3;
/// So many series are looked at before all of them.
constexpr size_t looked_at = 64;

/// The time between two ops that repeat nothing.
struct Gap {
  Time begin, end;

  Time length() const { return end - begin; }
};

/// The times from `begin` to `end` in which no span of `spans` is, the longest first.
std::vector<Gap> gaps_between(std::vector<Gap> spans, Time end) {
  std::ranges::sort(spans, {}, &Gap::begin);
  std::vector<Gap> gaps;
  Time at;
  for (const Gap& span : spans) {
    if (span.begin > at) gaps.push_back({at, span.begin});
    at = std::max(at, span.end);
  }
  if (end > at) gaps.push_back({at, end});
  std::ranges::stable_sort(gaps, std::ranges::greater(), &Gap::length);
  return gaps;
}

Span shifted(const Span& span, Time by) {
  return {span.ready + by, span.start + by, span.end + by};
}

bool at_one_time(const Span& a, const Span& b) { return a.start == b.start && a.end == b.end; }

}  // namespace

PeriodFinder::PeriodFinder(const Program& program, RankGroups groups, std::vector<bool> repeating,
                           int unit)
    : program_(program), groups_(std::move(groups)), repeating_(std::move(repeating)), unit_(unit) {
  OpSeries all = series_of(program);
  ops_ = std::move(all.ops);
  offset_ = std::move(all.offset);
  matched_.resize(offset_.size() - 1);
  later_.resize(program.ops.size());
  earlier_.resize(program.ops.size());
  sort_into_parts();
}

void PeriodFinder::sort_into_parts() {
  parts_.resize(groups_.count);
  for (uint32_t k = 0; k + 1 < offset_.size(); ++k) {
    Part& part = parts_[groups_.of(program_.ops[series(k).front()].rank)];
    part.series.push_back(k);
    part.ops.insert(part.ops.end(), series(k).begin(), series(k).end());
  }
  for (Part& part : parts_) {
    const size_t step = part.series.size() / looked_at + 1;
    for (size_t n = 0; n < part.series.size(); n += step) {
      const Series alike = series(part.series[n]);
      part.some_series.push_back(part.series[n]);
      part.some.insert(part.some.end(), alike.begin(), alike.end());
    }
  }
}

/// Finds the like of every op of series k, unless it is known.
void PeriodFinder::match(uint32_t k) {
  if (matched_[k] == micro_batches_) return;
  matched_[k] = micro_batches_;
  const Series alike = series(k);
  for (const OpId op : alike) later_[op] = earlier_[op] = none;
  for (size_t first = 0, second = 0; first < alike.size(); ++first) {
    const int wanted = micro_batch(alike[first]) + micro_batches_;
    while (second < alike.size() && micro_batch(alike[second]) < wanted) ++second;
    if (second == alike.size()) break;
    if (!are_alike(alike[first], alike[second])) continue;
    later_[alike[first]] = alike[second];
    earlier_[alike[second]] = alike[first];
  }
}

void PeriodFinder::match(const std::vector<uint32_t>& all) {
  for (const uint32_t k : all) match(k);
}

/// Returns the like of an op of the series without those of others; none where it has none.
OpId PeriodFinder::like_of(OpId op, Series alike) const {
  const int wanted = micro_batch(op) + micro_batches_;
  const auto found =
      std::ranges::lower_bound(alike, wanted, {}, [&](OpId one) { return micro_batch(one); });
  return found != alike.end() && are_alike(op, *found) ? *found : none;
}

bool PeriodFinder::are_alike(OpId op, OpId later) const {
  const Op &a = program_.ops[op], &b = program_.ops[later];
  if (b.micro_batch - a.micro_batch != micro_batches_) return false;
  if (!program_.type(op).paired) return true;
  schedule::Action partner = program_.partners[a.peer];
  partner.micro_batch += micro_batches_;
  return partner == program_.partners[b.peer];
}

std::vector<RepeatedPeriods> PeriodFinder::find(std::span<const Span> spans, int least) {
  Time end;
  for (const Span& span : spans) end = std::max(end, span.end);
  std::vector<std::optional<RepeatedPeriods>> found(parts_.size());
  size_t left = parts_.size();
  for (int units = least / unit_ + 1; units <= most_units && left > 0; ++units) {
    micro_batches_ = unit_ * units;
    for (size_t group = 0; group < parts_.size(); ++group) {
      if (found[group]) continue;
      found[group] = find_in(parts_[group], spans, end);
      if (found[group]) --left;
    }
  }
  std::vector<RepeatedPeriods> all;
  for (std::optional<RepeatedPeriods>& one : found)
    if (left == 0 && one) all.push_back(std::move(*one));
  return all;
}

std::optional<RepeatedPeriods> PeriodFinder::find_in(const Part& part, std::span<const Span> spans,
                                                     Time end) {
  std::vector<Repetition> found;
  for (const Time pace : paces(part, spans)) {
    // What a few series rule out is out for all: mostly so where nothing repeats itself.
    match(part.some_series);
    if (periods_of(part.some, spans, end, pace).empty()) continue;
    match(part.series);
    std::ranges::copy(periods_of(part.ops, spans, end, pace), std::back_inserter(found));
  }
  if (!cover(part, spans, found)) return std::nullopt;
  return RepeatedPeriods{micro_batches_, std::move(found)};
}

/// Returns the times between an op and its like, of the ops in the midst of each series that has
/// the same time twice there. They are below zero where micro-batches are run in reverse.
std::vector<Time> PeriodFinder::paces(const Part& part, std::span<const Span> spans) const {
  std::vector<Time> paces;
  for (const uint32_t k : part.series) {
    const Series alike = series(k);
    const OpId op = alike[alike.size() / 2], next = like_of(op, alike);
    if (!repeating_[op] || next == none) continue;
    const OpId last = like_of(next, alike);
    if (last == none) continue;
    const Time pace = spans[next].start - spans[op].start;
    if (pace == Time{} || spans[last].start - spans[next].start != pace) continue;
    if (std::ranges::find(paces, pace) == paces.end()) paces.push_back(pace);
    if (paces.size() == most_paces) break;
  }
  return paces;
}

bool PeriodFinder::is_repeated(std::span<const Span> spans, OpId op, Time pace) const {
  const OpId next = later_[op];
  return next != none && repeating_[op] && repeating_[next] &&
         at_one_time(shifted(spans[op], pace), spans[next]);
}

/// Returns periods in the longest times before `end` in which each of `ops` repeats the one before
/// it and is repeated.
std::vector<Repetition> PeriodFinder::periods_of(Series ops, std::span<const Span> spans, Time end,
                                                 Time pace) const {
  std::vector<Gap> others;
  Time longest;
  for (const OpId op : ops) {
    const bool repeated = is_repeated(spans, op, pace) && earlier_[op] != none &&
                          is_repeated(spans, earlier_[op], pace);
    if (repeated)
      longest = std::max(longest, spans[op].end - spans[op].start);
    else
      others.push_back({spans[op].start, spans[op].end});
  }
  std::vector<Repetition> found;
  for (const Gap& gap : gaps_between(std::move(others), end) | std::views::take(most_gaps)) {
    const Time period = std::max(pace, Time{} - pace);
    const Time begin = gap.begin + std::max(period, longest);
    const int64_t room = (gap.end - begin).ps / period.ps - 2;
    // In the midst, the critical path is most likely to repeat itself too.
    if (room >= 0) found.push_back({begin + room / 2 * period, period});
  }
  return found;
}

/// Keeps periods that have no series twice. Tells whether every series is then in as many as the
/// program leaves out of it.
bool PeriodFinder::cover(const Part& part, std::span<const Span> spans,
                         std::vector<Repetition>& found) const {
  std::vector<Repetition> kept;
  std::vector<int64_t> covered(part.series.size());
  for (const Repetition& period : found) {
    std::vector<int64_t> in_period;
    for (const uint32_t k : part.series)
      in_period.push_back(
          std::ranges::count_if(series(k), [&](OpId op) { return period.has(spans[op]); }));
    const auto twice = [](int64_t before, int64_t now) { return before > 0 && now > 0; };
    if (std::ranges::equal(covered, in_period, std::not_fn(twice))) {
      std::ranges::transform(covered, in_period, covered.begin(), std::plus());
      kept.push_back(period);
    }
  }
  found = std::move(kept);
  std::ranges::sort(found, {}, &Repetition::begin);
  for (size_t n = 0; n < part.series.size(); ++n) {
    const int64_t left_out = std::ranges::count_if(
        series(part.series[n]), [&](OpId op) { return program_.repeated.has(micro_batch(op)); });
    if (covered[n] * unit_ != left_out * micro_batches_) return false;
  }
  return !found.empty();
}

/// Returns the micro-batch of a series that is the first to stand for others; none where none is.
std::optional<int> PeriodFinder::repeated_of(Series alike) const {
  const int first = micro_batch(alike.front()), last = micro_batch(alike.back());
  for (const int one : program_.repeated.first)
    if (one >= first && one <= last) return one;
  return std::nullopt;
}

/// Returns so many micro-batches before and behind those that stand for others that all series
/// repeat themselves there.
std::pair<int, int> PeriodFinder::reach() const {
  std::pair<int, int> reach{INT_MAX, INT_MAX};
  for (size_t k = 0; k + 1 < offset_.size(); ++k) {
    const std::optional<int> repeated = repeated_of(series(k));
    if (!repeated) continue;
    int before = 0, behind = 0;
    for (const OpId op : series(k)) {
      if (!repeating_[op]) continue;
      before = std::max(before, *repeated - micro_batch(op));
      behind = std::max(behind, micro_batch(op) - *repeated);
    }
    reach = {std::min(reach.first, before), std::min(reach.second, behind)};
  }
  return reach;
}

bool PeriodFinder::stands_still(std::span<const Span> spans, int micro_batches) {
  micro_batches_ = micro_batches;
  const auto [before, behind] = reach();
  // What comes before the first of them may show at first, and what comes behind the last.
  const int third = (before + behind) / 3, first = third - before, last = behind - third;
  if (last - first < micro_batches) return false;
  for (uint32_t k = 0; k + 1 < offset_.size(); ++k) {
    match(k);
    const std::optional<int> repeated = repeated_of(series(k));
    for (const OpId op : series(k)) {
      const int from_repeated = micro_batch(op) - repeated.value_or(0);
      const OpId next = later_[op];
      if (!repeated || next == none || from_repeated < first) continue;
      if (from_repeated + micro_batches <= last && !at_one_time(spans[op], spans[next]))
        return false;
    }
  }
  return true;
}

}  // namespace pipewright
