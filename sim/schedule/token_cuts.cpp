#include "schedule/token_cuts.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/required.hpp"

namespace pipewright::schedule {
namespace {

/// Costs of all slices between two places where a cut may be.
class Costs {
 public:
  Costs(const Sequence& sequence, const SliceCost& cost)
      : sequence_(sequence), n_(sequence.pieces()), costs_(size_t(n_) * (n_ + 1) / 2) {
    for (int to = 1; to <= n_; ++to)
      for (int from = 0; from < to; ++from)
        costs_[index(from, to)] = cost(tokens(to) - tokens(from), tokens(from));
  }
  int pieces() const { return n_; }
  Time operator()(int from, int to) const { return costs_[index(from, to)]; }
  /// All costs that occur, ascending.
  std::vector<Time> distinct() const {
    std::vector<Time> result = costs_;
    std::ranges::sort(result);
    result.erase(std::ranges::unique(result).begin(), result.end());
    return result;
  }
  /// The slices that `previous` cuts, in tokens: the last one is from previous[n] to n.
  std::vector<int> lengths(const std::vector<int>& previous) const {
    std::vector<int> result;
    for (int to = n_; to > 0; to = previous[to])
      result.push_back(tokens(to) - tokens(previous[to]));
    std::ranges::reverse(result);
    return result;
  }

 private:
  int tokens(int place) const { return std::min(place * sequence_.granularity, sequence_.tokens); }
  static size_t index(int from, int to) { return size_t(to) * (to - 1) / 2 + from; }

  Sequence sequence_;
  int n_;
  std::vector<Time> costs_;
};

struct Cuts {
  Time sum;
  std::vector<int> previous;  // by place: the place of the cut before it
};

/// The least sum of costs with no slice above `bound`, or nothing where there is none.
std::optional<Cuts> least_sum(const Costs& cost, Time bound) {
  const int n = cost.pieces();
  std::vector<Time> best(static_cast<size_t>(n) + 1, longest_time);  // that: there is none
  std::vector<int> previous(best.size(), 0);
  best[0] = Time{};
  for (int to = 1; to <= n; ++to) {
    for (int from = 0; from < to; ++from) {
      const Time t = cost(from, to);
      if (best[from] == longest_time || t > bound || best[to] <= best[from] + t) continue;
      best[to] = best[from] + t;
      previous[to] = from;
    }
  }
  if (best.back() == longest_time) return std::nullopt;
  return Cuts{best.back(), std::move(previous)};
}

/// The search over bounds. The least sum only falls as the bound rises, so nothing between two
/// bounds of equal sum, or of a sum that is too large even at the lower one, needs a look.
class Search {
 public:
  Search(const Costs& cost, int ranks, int micro_batches)
      : cost_(cost), bounds_(cost.distinct()), ranks_(ranks), micro_batches_(micro_batches) {
    const std::optional<Time> lowest = evaluate(0);
    if (bounds_.size() > 1) between(0, lowest, bounds_.size() - 1, evaluate(bounds_.size() - 1));
  }
  const std::vector<int>& previous() const { return previous_; }

 private:
  Time time(Time sum, size_t bound) const {
    return sum * micro_batches_ + bounds_[bound] * (ranks_ - 1);
  }
  std::optional<Time> evaluate(size_t bound) {
    std::optional<Cuts> cuts = least_sum(cost_, bounds_[bound]);
    if (!cuts) return std::nullopt;
    if (time(cuts->sum, bound) < best_) {
      best_ = time(cuts->sum, bound);
      previous_ = std::move(cuts->previous);
    }
    return cuts->sum;
  }
  void between(size_t low, std::optional<Time> at_low, size_t high, std::optional<Time> at_high) {
    if (high - low < 2 || at_low == at_high) return;
    if (time(required(at_high, "a larger bound has cuts"), low + 1) >= best_) return;
    const size_t middle = low + (high - low) / 2;
    const std::optional<Time> at_middle = evaluate(middle);
    between(low, at_low, middle, at_middle);
    between(middle, at_middle, high, at_high);
  }

  const Costs& cost_;
  std::vector<Time> bounds_;
  int ranks_, micro_batches_;
  Time best_ = longest_time;
  std::vector<int> previous_;
};

}  // namespace

std::vector<int> fastest_cuts(const Sequence& sequence, const SliceCost& cost, int ranks,
                              int micro_batches) {
  ensure(sequence.tokens > 0, "a sequence to cut needs tokens");
  const Costs costs(sequence, cost);
  return costs.lengths(Search(costs, ranks, micro_batches).previous());
}

std::vector<int> balanced_cuts(const Sequence& sequence, const SliceCost& cost, int count) {
  ensure(count >= 1 && count <= sequence.pieces(), "more slices than places to cut");
  const Costs costs(sequence, cost);
  const int n = costs.pieces();
  // best[to]: the least possible dearest slice of the first `to` pieces in as many slices as there
  // were rounds; last[round][to]: where its last slice starts.
  std::vector<Time> best(static_cast<size_t>(n) + 1, longest_time);
  best[0] = Time{};
  std::vector<std::vector<int>> last(static_cast<size_t>(count), std::vector<int>(best.size(), 0));
  for (int round = 0; round < count; ++round) {
    for (int to = n; to >= 0; --to) {
      Time least = longest_time;
      for (int from = round; from < to; ++from) {
        const Time dearest = std::max(best[from], costs(from, to));
        if (dearest >= least) continue;
        least = dearest;
        last[round][to] = from;
      }
      best[to] = least;
    }
  }
  std::vector<int> previous(best.size(), 0);
  for (int round = count - 1, to = n; round >= 0; --round) to = previous[to] = last[round][to];
  return costs.lengths(previous);
}

}  // namespace pipewright::schedule
