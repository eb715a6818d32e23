#include "diagnose/pass_windows.hpp"

#include <algorithm>

#include "diagnose/run_passes.hpp"

namespace pipewright::diagnose {
namespace {

/// Times of a trace are rounded.
constexpr Time rounding{1000};

bool joins_data_ranks(RunSliceKind kind) {
  return kind == RunSliceKind::data_gather || kind == RunSliceKind::data_sum;
}

}  // namespace

PassWindows::PassWindows(const RunTrace& trace) : ranks_(trace.ranks.size()) {
  std::vector<const RunSlice*> in_order;
  for (const RunSlice& slice : trace.slices) in_order.push_back(&slice);
  std::ranges::stable_sort(in_order, {}, &RunSlice::start);
  for (const RunSlice* slice : in_order) {
    OfRank& rank = ranks_[slice->rank];
    if (joins_data_ranks(slice->kind)) add(rank.collectives, *slice, rounding);
    if (is_pass(slice->kind)) add(rank.pieces, *slice, Time{});
  }
}

/// What begins no more than `gap` after the last has ended goes on with it.
void PassWindows::add(Intervals& all, const RunSlice& slice, Time gap) {
  if (!all.empty() && slice.start <= all.back().end + gap)
    all.back().end = std::max(all.back().end, slice.end);
  else
    all.push_back({slice.start, slice.end});
}

PassWindows::Intervals::const_iterator PassWindows::first_after(const Intervals& all, Time time) {
  return std::ranges::upper_bound(all, time, {}, &Interval::end);
}

/// How much of the time between `begin` and `end` they have.
Time PassWindows::within(const Intervals& all, Time begin, Time end) {
  Time sum;
  for (auto one = first_after(all, begin); one != all.end() && one->start < end; ++one)
    sum += std::min(one->end, end) - std::max(one->start, begin);
  return sum;
}

PassWindow PassWindows::window_of(const OfRank& rank, Time begin, Time end, double slowed) {
  PassWindow window{end - begin, within(rank.pieces, begin, end),
                    within(rank.collectives, begin, end)};
  Time beside;
  auto run = first_after(rank.collectives, begin);
  for (; run != rank.collectives.end() && run->start < end; ++run)
    beside += within(rank.pieces, std::max(run->start, begin), std::min(run->end, end));
  window.own -= seconds(slowed * in_seconds(beside));
  return window;
}

std::vector<PassWindow> PassWindows::of(size_t rank, Time begin, Time end, double slowed) const {
  const OfRank& own = ranks_[rank];
  auto run = first_after(own.collectives, begin + rounding);
  if (run == own.collectives.end() || run->start >= end) return {};
  std::vector<PassWindow> windows;
  Time at = begin;
  for (; run != own.collectives.end() && run->start + rounding < end; ++run) {
    if (run->start <= at + rounding) continue;  // it began before the pass
    windows.push_back(window_of(own, at, run->start, slowed));
    at = run->start;
  }
  windows.push_back(window_of(own, at, end, slowed));
  return windows;
}

}  // namespace pipewright::diagnose
