#include "diagnose/pass_windows.hpp"

#include <algorithm>

#include "diagnose/run_passes.hpp"
#include "diagnose/within_passes.hpp"

namespace pipewright::diagnose {
namespace {

bool joins_data_ranks(RunSliceKind kind) {
  return kind == RunSliceKind::data_gather || kind == RunSliceKind::data_sum;
}

}  // namespace

double PassWindow::busy_s(double own_part, double seen_part) const {
  double busy_s = own_part * in_seconds(own) + seen_part * in_seconds(exchanges);
  for (const ExchangingPiece& piece : pieces) {
    const double own_s = in_seconds(piece.own), exchange_s = in_seconds(piece.exchange);
    const double seen_s = seen_part * std::max(exchange_s - own_s, 0.0);
    const double left_s = std::min(exchange_s, own_s) + seen_s;
    busy_s += std::max(left_s - own_part * own_s, 0.0) - seen_s;
  }
  return busy_s;
}

PassWindows::PassWindows(const RunTrace& trace) : ranks_(trace.ranks.size()) {
  std::vector<const RunSlice*> in_order;
  for (const RunSlice& slice : trace.slices) in_order.push_back(&slice);
  std::ranges::stable_sort(in_order, {}, &RunSlice::start);
  std::vector<Intervals> pieces(ranks_.size()), exchanges(ranks_.size());
  for (const RunSlice* slice : in_order) {
    OfRank& rank = ranks_[slice->rank];
    if (joins_data_ranks(slice->kind)) add(rank.collectives, *slice, rounding);
    if (is_within_passes(slice->kind)) add(rank.exchanges, *slice, Time{});
    if (slice->kind == RunSliceKind::context_group)
      exchanges[slice->rank].push_back({slice->start, slice->end});
    if (!is_pass(slice->kind)) continue;
    add(rank.pieces, *slice, Time{});
    pieces[slice->rank].push_back({slice->start, slice->end});
  }
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    ranks_[rank].exchanging = exchanging(pieces[rank], exchanges[rank]);
}

/// The pieces beside which one of the exchanges goes. It counts until the next piece begins.
PassWindows::Exchanging PassWindows::exchanging(const Intervals& pieces,
                                                const Intervals& exchanges) {
  Exchanging found;
  auto exchange = exchanges.begin();
  for (size_t i = 0; i < pieces.size() && exchange != exchanges.end(); ++i) {
    const auto [start, end] = pieces[i];
    const Time next = i + 1 < pieces.size() ? pieces[i + 1].start : longest_time;
    while (exchange != exchanges.end() && exchange->end <= start + rounding) ++exchange;
    Time sum;
    for (auto one = exchange; one != exchanges.end() && one->start + rounding < end; ++one)
      sum += std::min(one->end, next) - std::max(one->start, start);
    if (sum > Time{}) found.push_back({start, {end - start, sum}});
  }
  return found;
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

/// How much of the time between `begin` and `end` both have.
Time PassWindows::within_both(const Intervals& all, const Intervals& others, Time begin, Time end) {
  Time sum;
  for (auto one = first_after(all, begin); one != all.end() && one->start < end; ++one)
    sum += within(others, std::max(one->start, begin), std::min(one->end, end));
  return sum;
}

PassWindow PassWindows::window_of(const OfRank& rank, Time begin, Time end, double slowed) {
  PassWindow window{end - begin, within(rank.pieces, begin, end),
                    within(rank.collectives, begin, end)};
  window.exchanges =
      within(rank.exchanges, begin, end) - within_both(rank.exchanges, rank.pieces, begin, end);
  window.own -=
      seconds(slowed * in_seconds(within_both(rank.collectives, rank.pieces, begin, end)));
  auto piece = std::ranges::lower_bound(rank.exchanging, begin, {}, &Exchanging::value_type::first);
  for (; piece != rank.exchanging.end() && piece->first < end; ++piece)
    window.pieces.push_back(piece->second);
  return window;
}

std::vector<PassWindow> PassWindows::of(size_t rank, Time begin, Time end, double slowed) const {
  const OfRank& own = ranks_[rank];
  auto run = first_after(own.collectives, begin + rounding);
  std::vector<PassWindow> windows;
  Time at = begin;
  for (; run != own.collectives.end() && run->start + rounding < end; ++run) {
    if (run->start <= at + rounding) continue;  // it began before the pass
    windows.push_back(window_of(own, at, run->start, slowed));
    at = run->start;
  }
  windows.push_back(window_of(own, at, end, slowed));
  const bool communicates = std::ranges::any_of(windows, [](const PassWindow& one) {
    return one.collectives > Time{} || !one.pieces.empty();
  });
  return communicates ? windows : std::vector<PassWindow>{};
}

}  // namespace pipewright::diagnose
