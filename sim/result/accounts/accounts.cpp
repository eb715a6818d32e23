#include "result/accounts/accounts.hpp"

#include <algorithm>
#include <cmath>

#include "base/stop.hpp"
#include "result/accounts/idle_time.hpp"

namespace pipewright {
namespace {

Time share_of(Time length, double share) {
  return {std::llround(static_cast<double>(length.ps) * share)};
}

/// Adds `length` of an op by what the op is made of; what rounding leaves is of its largest part.
void add_compute(const ComputeShare& share, Time length, Breakdown& breakdown) {
  const auto largest = static_cast<size_t>(
      std::max_element(share.compute.begin(), share.compute.end()) - share.compute.begin());
  Time left = length;
  const auto take = [&](double part, Time& place) {
    if (part <= 0) return;
    const Time time = std::min(left, share_of(length, part));
    place += time;
    left -= time;
  };
  take(share.host, breakdown.host);
  for (size_t kind = 0; kind < compute_kinds; ++kind)
    if (kind != largest) take(share.compute[kind], breakdown.compute[kind]);
  breakdown.compute[largest] += left;
}

/// Tells whether a pass or a step is of the iteration after that of `window`.
bool is_of_next(const Program& program, OpId op, const Window& window) {
  if (window.micro_batches == 0) return false;
  const int number = program.ops[op].micro_batch;
  return number >= (program.type(op).kind == OpKind::step ? 1 : window.micro_batches);
}

/// Returns the window in the spans of a rank, without pauses.
Window in_spans(const Timeline& timeline, uint32_t rank, const Window& window) {
  const auto folded = [&](Time at) {
    return without_pauses(timeline.repetitions(rank), timeline.folded(rank, at));
  };
  return {folded(window.begin), folded(window.end), window.length, window.micro_batches};
}

/// The account of one lane that computes.
Breakdown account_lane(const Program& program, const Timeline& timeline, const Window& whole,
                       const ComputeShares& shares, LaneId lane, IdleTime& idle) {
  const uint32_t rank = program.lanes[lane].rank;
  const Repetitions repetitions = timeline.repetitions(rank);
  const Window window = in_spans(timeline, rank, whole);
  Breakdown breakdown;
  Time at = window.begin;
  for (const OpId op : program.order(lane)) {
    const OpKind kind = program.type(op).kind;
    if (kind != OpKind::compute && kind != OpKind::step) continue;
    if (is_of_next(program, op, window)) continue;
    const Span span = without_pauses(repetitions, timeline.spans[op]);
    const Time start = std::clamp(span.start, at, window.end);
    const Time end = std::clamp(span.end, start, window.end);
    const int64_t times = timeline.times(rank, timeline.spans[op]);
    Breakdown once;
    Breakdown& account = times == 1 ? breakdown : once;
    idle.account({at, start, op}, account);
    if (end > start) add_compute(shares.of(program, op), end - start, account);
    if (times > 1) breakdown.add(once, times);
    at = end;
  }
  idle.account({at, window.end}, breakdown);
  return breakdown;
}

}  // namespace

std::vector<Breakdown> accounts(const Program& program, const Timeline& timeline,
                                const Window& window, const ComputeShares& shares) {
  IdleTime idle(program, timeline);
  stop_here();
  std::vector<std::vector<WeighedBreakdown>> servers(program.ranks.size());
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    if (!computes(program.lanes[lane].stream)) continue;
    const uint32_t rank = program.lanes[lane].rank;
    stop_here();
    idle.start_rank(rank);
    servers[rank].push_back({account_lane(program, timeline, window, shares, lane, idle)});
  }
  std::vector<Breakdown> by_rank;
  for (const std::vector<WeighedBreakdown>& of_rank : servers)
    by_rank.push_back(scaled(mean(of_rank), window.length));
  return by_rank;
}

Breakdown mean_account(const Program& program, const std::vector<Breakdown>& by_rank) {
  std::vector<WeighedBreakdown> all;
  for (size_t rank = 0; rank < by_rank.size(); ++rank)
    all.push_back({by_rank[rank], program.ranks[rank].multiplicity});
  return mean(all);
}

}  // namespace pipewright
