// Frontier tracking (Cai et al., arXiv 2004.10856): a frontier holds the costs that no other beats
// in time and memory. Of links 0..i, link i under strategy b:
//   F_i(b) = reduce(union over a of F_(i-1)(a) + edge(a, b) + cost_i(b))
// where + adds times and memories and `reduce` drops what is beaten; the answer is the reduced
// union of the last F(b). Graph eliminations are not needed: our models are chains. Exact; sums are
// of whole picoseconds and bytes.
#include "search/frontier.hpp"

#include <algorithm>
#include <limits>

namespace pipewright::search {
namespace {

/// A prefix of the chain; `before` leads to that of one link less.
struct Partial {
  Time time;
  Bytes memory;
  int strategy = 0;
  size_t before = 0;
};

constexpr size_t none = std::numeric_limits<size_t>::max();

std::vector<Partial> reduced(std::vector<Partial> all) {
  std::ranges::stable_sort(all, [](const Partial& a, const Partial& b) {
    return std::pair(a.time, a.memory) < std::pair(b.time, b.memory);
  });
  std::vector<Partial> kept;
  for (const Partial& one : all)
    if (kept.empty() || one.memory < kept.back().memory) kept.push_back(one);
  return kept;
}

class Tracker {
 public:
  explicit Tracker(const FrontierProblem& problem) : p_(problem) {}

  std::vector<FrontierPoint> run() {
    std::vector<std::vector<size_t>> last;  // by strategy: places in all_
    for (size_t link = 0; link < p_.links.size(); ++link) last = next(link, last);
    std::vector<Partial> ends;
    for (const std::vector<size_t>& one : last)
      for (const size_t at : one) {
        ends.push_back(all_[at]);
        ends.back().before = at;  // itself: reduced() keeps no places
      }
    std::vector<FrontierPoint> points;
    for (const Partial& end : reduced(std::move(ends)))
      points.push_back({end.time, end.memory, strategies(end.before)});
    return points;
  }

 private:
  std::vector<std::vector<size_t>> next(size_t link, const std::vector<std::vector<size_t>>& last) {
    std::vector<std::vector<size_t>> places;
    for (int strategy = 0; strategy < static_cast<int>(p_.links[link].size()); ++strategy) {
      std::vector<size_t>& here = places.emplace_back();
      for (const Partial& one : reduced(joined(link, strategy, last))) {
        here.push_back(all_.size());
        all_.push_back(one);
      }
    }
    return places;
  }

  std::vector<Partial> joined(size_t link, int strategy,
                              const std::vector<std::vector<size_t>>& last) const {
    const Cost cost = p_.links[link][static_cast<size_t>(strategy)];
    if (link == 0) return {{cost.time, cost.memory, strategy, none}};
    std::vector<Partial> all;
    for (size_t a = 0; a < last.size(); ++a) {
      const Time edge = p_.edge(link - 1, static_cast<int>(a), strategy);
      for (const size_t at : last[a])
        all.push_back(
            {all_[at].time + edge + cost.time, all_[at].memory + cost.memory, strategy, at});
    }
    return all;
  }

  std::vector<int> strategies(size_t at) const {
    std::vector<int> strategies;
    for (; at != none; at = all_[at].before) strategies.push_back(all_[at].strategy);
    std::ranges::reverse(strategies);
    return strategies;
  }

  const FrontierProblem& p_;
  std::vector<Partial> all_;
};

}  // namespace

std::vector<FrontierPoint> frontier(const FrontierProblem& problem) {
  return Tracker(problem).run();
}

}  // namespace pipewright::search
