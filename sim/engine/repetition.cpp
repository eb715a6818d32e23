#include "engine/repetition.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <tuple>

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

/// An op by what it has in common with others. The order is that of the members.
struct Likeness {
  uint32_t rank, type, peer, slice;
  uint32_t kth = 0;  ///< of those of one micro-batch
  int32_t micro_batch;
  OpId op;
  auto operator<=>(const Likeness&) const = default;

  /// Tells whether both are of one series, or would be but for `kth`.
  bool is_like(const Likeness& other) const {
    return std::tie(rank, type, peer, slice) ==
           std::tie(other.rank, other.type, other.peer, other.slice);
  }
};

std::vector<Likeness> likenesses(const Program& program) {
  std::vector<Likeness> all;
  all.reserve(program.ops.size());
  for (OpId id = 0; id < program.ops.size(); ++id) {
    const Op& op = program.ops[id];
    all.push_back({.rank = op.rank,
                   .type = op.type,
                   .peer = program.type(id).paired ? none : op.peer,  // else the number of the pair
                   .slice = static_cast<uint32_t>(op.slice),
                   .micro_batch = op.micro_batch,
                   .op = id});
  }
  std::ranges::sort(all);
  for (size_t k = 1; k < all.size(); ++k)
    if (all[k].is_like(all[k - 1]) && all[k].micro_batch == all[k - 1].micro_batch)
      all[k].kth = all[k - 1].kth + 1;
  std::ranges::sort(all);
  return all;
}

Span shifted(const Span& span, Time by) {
  return {span.ready + by, span.start + by, span.end + by};
}

bool at_one_time(const Span& a, const Span& b) { return a.start == b.start && a.end == b.end; }

}  // namespace

PeriodFinder::PeriodFinder(const Program& program, std::vector<bool> repeating, int unit)
    : program_(program), repeating_(std::move(repeating)), unit_(unit) {
  const std::vector<Likeness> all = likenesses(program);
  for (size_t k = 0; k < all.size(); ++k) {
    const bool goes_on = k > 0 && all[k].is_like(all[k - 1]) && all[k].kth == all[k - 1].kth;
    if (!goes_on) offset_.push_back(k);
    ops_.push_back(all[k].op);
  }
  offset_.push_back(all.size());
  const size_t step = (offset_.size() - 1) / looked_at + 1;
  for (size_t k = 0; k + 1 < offset_.size(); k += step)
    some_.insert(some_.end(), series(k).begin(), series(k).end());
}

/// Finds the like of every op that is `micro_batches` away.
void PeriodFinder::match(int micro_batches) {
  if (micro_batches_ == micro_batches) return;
  micro_batches_ = micro_batches;
  later_.assign(program_.ops.size(), none);
  earlier_.assign(program_.ops.size(), none);
  for (size_t k = 0; k + 1 < offset_.size(); ++k) {
    const Series alike = series(k);
    for (size_t first = 0, second = 0; first < alike.size(); ++first) {
      const int wanted = program_.ops[alike[first]].micro_batch + micro_batches;
      while (second < alike.size() && program_.ops[alike[second]].micro_batch < wanted) ++second;
      if (second == alike.size()) break;
      if (!are_alike(alike[first], alike[second])) continue;
      later_[alike[first]] = alike[second];
      earlier_[alike[second]] = alike[first];
    }
  }
}

bool PeriodFinder::are_alike(OpId op, OpId later) const {
  const Op &a = program_.ops[op], &b = program_.ops[later];
  if (b.micro_batch - a.micro_batch != micro_batches_) return false;
  if (!program_.type(op).paired) return true;
  schedule::Action partner = program_.partners[a.peer];
  partner.micro_batch += micro_batches_;
  return partner == program_.partners[b.peer];
}

std::optional<RepeatedPeriods> PeriodFinder::find(std::span<const Span> spans, int least) {
  Time end;
  for (const Span& span : spans) end = std::max(end, span.end);
  for (int units = least / unit_ + 1; units <= most_units; ++units) {
    match(unit_ * units);
    std::vector<Repetition> found;
    for (const Time pace : paces(spans)) {
      // What a few series rule out is out for all: mostly so where nothing repeats itself.
      if (periods_of(some_, spans, end, pace).empty()) continue;
      std::ranges::copy(periods_of(ops_, spans, end, pace), std::back_inserter(found));
    }
    if (cover(spans, found)) return RepeatedPeriods{unit_ * units, std::move(found)};
  }
  return std::nullopt;
}

/// Returns the times between an op and its like, of the ops in the midst of each series that has
/// the same time twice there. They are below zero where micro-batches are run in reverse.
std::vector<Time> PeriodFinder::paces(std::span<const Span> spans) const {
  std::vector<Time> paces;
  for (size_t k = 0; k + 1 < offset_.size(); ++k) {
    const Series alike = series(k);
    const OpId op = alike[alike.size() / 2], next = later_[op];
    if (!repeating_[op] || next == none || later_[next] == none) continue;
    const Time pace = spans[next].start - spans[op].start;
    if (pace == Time{} || spans[later_[next]].start - spans[next].start != pace) continue;
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
    if (begin + 2 * period <= gap.end) found.push_back({begin, period});
  }
  return found;
}

/// Keeps periods that have no series twice. Tells whether every series is then in as many as the
/// program leaves out of it.
bool PeriodFinder::cover(std::span<const Span> spans, std::vector<Repetition>& found) const {
  std::vector<Repetition> kept;
  std::vector<int64_t> covered(offset_.size());
  for (const Repetition& period : found) {
    std::vector<int64_t> in_period(offset_.size());
    for (size_t k = 0; k + 1 < offset_.size(); ++k)
      in_period[k] =
          std::ranges::count_if(series(k), [&](OpId op) { return period.has(spans[op]); });
    const auto twice = [](int64_t before, int64_t now) { return before > 0 && now > 0; };
    if (std::ranges::equal(covered, in_period, std::not_fn(twice))) {
      std::ranges::transform(covered, in_period, covered.begin(), std::plus());
      kept.push_back(period);
    }
  }
  found = std::move(kept);
  std::ranges::sort(found, {}, &Repetition::begin);
  for (size_t k = 0; k + 1 < offset_.size(); ++k) {
    const int64_t left_out = std::ranges::count_if(
        series(k), [&](OpId op) { return program_.repeated.has(program_.ops[op].micro_batch); });
    if (covered[k] * unit_ != left_out * micro_batches_) return false;
  }
  return !found.empty();
}

bool PeriodFinder::stands_still(std::span<const Span> spans, int micro_batches) {
  match(micro_batches);
  for (size_t k = 0; k + 1 < offset_.size(); ++k) {
    const Series alike = series(k);
    for (const OpId op : alike.subspan(alike.size() / 3, alike.size() / 3)) {
      const OpId next = later_[op];
      const bool repeats = next != none && repeating_[op] && repeating_[next];
      if (repeats && !at_one_time(spans[op], spans[next])) return false;
    }
  }
  return true;
}

}  // namespace pipewright
