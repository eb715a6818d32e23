// Frontier tracking (Cai et al., arXiv 2004.10856): a frontier holds the costs that no other beats
// in time and memory. Of links 0..i, link i under strategy b:
//   F_i(b) = reduce(union over a of F_(i-1)(a) + edge(a, b) + cost_i(b))
// where + adds times and memories and `reduce` drops what is beaten; the answer is the reduced
// union of the last F(b). Strategies from which all edges are the same are reduced together at
// once. A frontier is ordered, so a reduced union is a merge. Graph eliminations are not needed:
// our models are chains. Exact; sums are of whole picoseconds and bytes.
#include "search/frontier.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

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

bool sooner(const Partial& a, const Partial& b) {
  return std::pair(a.time, a.memory) < std::pair(b.time, b.memory);
}

/// A frontier: ascending in time, descending in memory.
using Partials = std::vector<Partial>;

/// Adds one that is not sooner than those that are there, unless they beat it.
void keep(Partials& kept, const Partial& one) {
  if (kept.empty() || one.memory < kept.back().memory) kept.push_back(one);
}

/// Returns the frontier of two; of equals the first one's stays.
Partials merged(const Partials& first, const Partials& second) {
  Partials kept;
  kept.reserve(first.size() + second.size());
  auto a = first.begin();
  for (const Partial& b : second) {
    for (; a != first.end() && !sooner(b, *a); ++a) keep(kept, *a);
    keep(kept, b);
  }
  for (; a != first.end(); ++a) keep(kept, *a);
  return kept;
}

/// Returns the frontier of all, by merging neighbours until there is one.
Partials merged(std::vector<Partials> all) {
  while (all.size() > 1) {
    std::vector<Partials> half;
    for (size_t k = 0; k + 1 < all.size(); k += 2) half.push_back(merged(all[k], all[k + 1]));
    if (all.size() % 2 == 1) half.push_back(std::move(all.back()));
    all = std::move(half);
  }
  return all.empty() ? Partials{} : std::move(all.front());
}

class Tracker {
 public:
  explicit Tracker(const FrontierProblem& problem) : p_(problem) {}

  std::vector<FrontierPoint> run() {
    std::vector<Front> last;
    for (size_t link = 0; link < p_.links.size(); ++link) last = next(link, last);
    std::vector<FrontierPoint> points;
    for (size_t at = last.front().begin; at < last.front().end; ++at)
      points.push_back({all_[at].time, all_[at].memory, strategies(at)});
    return points;
  }

 private:
  /// The frontier of all prefixes that end in a link under strategies, next to each other, from
  /// which all edges are the same: to what follows they are one.
  struct Front {
    std::vector<Time> edges;    // to the next link, by its strategy; of the last link none
    size_t begin = 0, end = 0;  // in all_
  };

  std::vector<Front> next(size_t link, const std::vector<Front>& last) {
    // Strategies to which all edges are the same go on from the same frontier.
    std::map<std::vector<Time>, Partials> unions;
    std::vector<Front> fronts;
    std::vector<Partials> alike;
    for (size_t strategy = 0; strategy < p_.links[link].size(); ++strategy) {
      std::vector<Time> edges = edges_from(link, strategy);
      if (!alike.empty() && edges != fronts.back().edges) close(fronts.back(), alike);
      if (alike.empty()) fronts.push_back({.edges = std::move(edges)});
      const auto [found, is_new] = unions.try_emplace(edges_to(strategy, last));
      if (is_new) found->second = before(strategy, last);
      alike.push_back(run_under(link, strategy, found->second));
    }
    close(fronts.back(), alike);
    return fronts;
  }

  /// Ends a front with the frontier of all that are `alike`.
  void close(Front& front, std::vector<Partials>& alike) {
    const Partials all = merged(std::exchange(alike, {}));
    front.begin = all_.size();
    all_.insert(all_.end(), all.begin(), all.end());
    front.end = all_.size();
  }

  Partials run_under(size_t link, size_t strategy, const Partials& prefixes) const {
    const Cost cost = p_.links[link][strategy];
    Partials all;
    all.reserve(prefixes.size());
    for (const Partial& one : prefixes)
      all.push_back(
          {one.time + cost.time, one.memory + cost.memory, static_cast<int>(strategy), one.before});
    return all;
  }

  /// Returns the times between a link under `strategy` and the next one under each.
  std::vector<Time> edges_from(size_t link, size_t strategy) const {
    std::vector<Time> edges;
    const size_t count = link + 1 < p_.links.size() ? p_.links[link + 1].size() : 0;
    for (size_t b = 0; b < count; ++b)
      edges.push_back(p_.edge(link, static_cast<int>(strategy), static_cast<int>(b)));
    return edges;
  }

  static std::vector<Time> edges_to(size_t strategy, const std::vector<Front>& last) {
    std::vector<Time> edges;
    for (const Front& front : last) edges.push_back(front.edges[strategy]);
    return edges;
  }

  /// Returns the frontier of all prefixes, each with its edge to `strategy` of the next link.
  Partials before(size_t strategy, const std::vector<Front>& last) const {
    if (last.empty()) return {{.before = none}};
    std::vector<Partials> all;
    for (const Front& front : last) all.push_back(after(front, front.edges[strategy]));
    return merged(std::move(all));
  }

  Partials after(const Front& prefixes, Time edge) const {
    Partials all;
    all.reserve(prefixes.end - prefixes.begin);
    for (size_t at = prefixes.begin; at < prefixes.end; ++at)
      all.push_back({all_[at].time + edge, all_[at].memory, all_[at].strategy, at});
    return all;
  }

  std::vector<int> strategies(size_t at) const {
    std::vector<int> strategies;
    for (; at != none; at = all_[at].before) strategies.push_back(all_[at].strategy);
    std::ranges::reverse(strategies);
    return strategies;
  }

  const FrontierProblem& p_;
  Partials all_;
};

}  // namespace

std::vector<FrontierPoint> frontier(const FrontierProblem& problem) {
  return Tracker(problem).run();
}

}  // namespace pipewright::search
