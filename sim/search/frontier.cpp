// Frontier tracking (Cai et al., arXiv 2004.10856): a frontier holds the costs that no other beats
// in time and memory. Of links 0..i, link i under strategy b:
//   F_i(b) = reduce(union over a of F_(i-1)(a) + edge(a, b) + cost_i(b))
// where + adds times and memories and `reduce` drops what is beaten; the answer is the reduced
// union of the last F(b). A frontier is ordered, so a reduced union is a merge. Graph eliminations
// are not needed: our models are chains. Exact; sums are of whole picoseconds and bytes.
#include "search/frontier.hpp"

#include <algorithm>
#include <limits>
#include <map>

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
    std::vector<Range> last;  // by strategy
    for (size_t link = 0; link < p_.links.size(); ++link) last = next(link, last);
    std::vector<Partials> ends;
    for (const Range& one : last) ends.push_back(after(one, {}));
    std::vector<FrontierPoint> points;
    for (const Partial& end : merged(std::move(ends)))
      points.push_back({end.time, end.memory, strategies(end.before)});
    return points;
  }

 private:
  struct Range {
    size_t begin = 0, end = 0;  // in all_
  };

  std::vector<Range> next(size_t link, const std::vector<Range>& last) {
    // Strategies to which all edges are the same go on from the same frontier.
    std::map<std::vector<Time>, Partials> unions;
    std::vector<Range> ranges;
    for (int strategy = 0; strategy < static_cast<int>(p_.links[link].size()); ++strategy) {
      const auto [found, is_new] = unions.try_emplace(edges(link, strategy, last.size()));
      if (is_new) found->second = before(found->first, last);
      const Cost cost = p_.links[link][static_cast<size_t>(strategy)];
      const size_t begin = all_.size();
      for (const Partial& one : found->second)
        all_.push_back({one.time + cost.time, one.memory + cost.memory, strategy, one.before});
      ranges.push_back({begin, all_.size()});
    }
    return ranges;
  }

  /// Returns the times between a link under each strategy and the next one under `strategy`.
  std::vector<Time> edges(size_t link, int strategy, size_t strategies) const {
    std::vector<Time> edges;
    for (size_t a = 0; link > 0 && a < strategies; ++a)
      edges.push_back(p_.edge(link - 1, static_cast<int>(a), strategy));
    return edges;
  }

  /// Returns the frontier of all prefixes, each with its edge to the next link.
  Partials before(const std::vector<Time>& edges, const std::vector<Range>& last) const {
    if (last.empty()) return {{.before = none}};
    std::vector<Partials> all;
    for (size_t a = 0; a < last.size(); ++a) all.push_back(after(last[a], edges[a]));
    return merged(std::move(all));
  }

  Partials after(const Range& prefixes, Time edge) const {
    Partials all;
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
