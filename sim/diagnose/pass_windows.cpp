#include "diagnose/pass_windows.hpp"

#include <algorithm>

#include "diagnose/run_passes.hpp"
#include "diagnose/summing_passes.hpp"
#include "diagnose/within_passes.hpp"

namespace pipewright::diagnose {

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

PassWindows::PassWindows(const RunTrace& trace)
    : sums_hold_passes_(sums_hold_passes(trace)), ranks_(trace.ranks.size()) {
  std::vector<const RunSlice*> in_order;
  for (const RunSlice& slice : trace.slices) in_order.push_back(&slice);
  std::ranges::stable_sort(in_order, {}, &RunSlice::start);
  std::vector<std::vector<TimeRange>> pieces(ranks_.size()), exchanges(ranks_.size());
  for (const RunSlice* slice : in_order) {
    OfRank& rank = ranks_[slice->rank];
    if (joins_data_ranks(slice->kind)) {
      rank.communication.add(slice->start, slice->end);
      if (sums_hold_passes_ || slice->kind == RunSliceKind::data_gather)
        rank.collectives.add(slice->start, slice->end);
    }
    if (is_within_passes(slice->kind)) rank.exchanges.add(slice->start, slice->end);
    if (slice->kind == RunSliceKind::context_group)
      exchanges[slice->rank].push_back({slice->start, slice->end});
    if (!is_pass(slice->kind)) continue;
    rank.pieces.add(slice->start, slice->end);
    pieces[slice->rank].push_back({slice->start, slice->end});
  }
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    ranks_[rank].communication.join(rounding);
    ranks_[rank].collectives.join(rounding);
    ranks_[rank].pieces.join();
    ranks_[rank].exchanges.join();
    ranks_[rank].exchanging = exchanging(pieces[rank], exchanges[rank]);
  }
}

/// The pieces beside which one of the exchanges goes. It counts until the next piece begins.
PassWindows::Exchanging PassWindows::exchanging(const std::vector<TimeRange>& pieces,
                                                const std::vector<TimeRange>& exchanges) {
  Exchanging found;
  auto exchange = exchanges.begin();
  for (size_t i = 0; i < pieces.size() && exchange != exchanges.end(); ++i) {
    const auto [start, end] = pieces[i];
    const Time next = i + 1 < pieces.size() ? pieces[i + 1].begin : longest_time;
    while (exchange != exchanges.end() && exchange->end <= start + rounding) ++exchange;
    Time sum;
    for (auto one = exchange; one != exchanges.end() && one->begin + rounding < end; ++one)
      sum += std::min(one->end, next) - std::max(one->begin, start);
    if (sum > Time{}) found.push_back({start, {end - start, sum}});
  }
  return found;
}

PassWindow PassWindows::window_of(const OfRank& rank, Time begin, Time end, double slowed) {
  PassWindow window{end - begin, rank.pieces.within(begin, end),
                    rank.collectives.within(begin, end)};
  window.exchanges =
      rank.exchanges.within(begin, end) - rank.exchanges.within_both(rank.pieces, begin, end);
  window.own -=
      seconds(slowed * in_seconds(rank.communication.within_both(rank.pieces, begin, end)));
  window.sums = rank.communication.within(begin, end) - window.collectives;
  auto piece = std::ranges::lower_bound(rank.exchanging, begin, {}, &Exchanging::value_type::first);
  for (; piece != rank.exchanging.end() && piece->first < end; ++piece)
    window.pieces.push_back(piece->second);
  return window;
}

std::vector<PassWindow> PassWindows::of(size_t rank, Time begin, Time end, double slowed) const {
  const OfRank& own = ranks_[rank];
  auto run = own.communication.first_after(begin + rounding);
  std::vector<PassWindow> windows;
  Time at = begin;
  for (; run != own.communication.end() && run->begin + rounding < end; ++run) {
    if (run->begin <= at + rounding) continue;  // it began before the pass
    windows.push_back(window_of(own, at, run->begin, slowed));
    at = run->begin;
  }
  windows.push_back(window_of(own, at, end, slowed));
  const bool communicates = std::ranges::any_of(windows, [](const PassWindow& one) {
    return one.collectives > Time{} || one.sums > Time{} || !one.pieces.empty();
  });
  return communicates ? windows : std::vector<PassWindow>{};
}

}  // namespace pipewright::diagnose
