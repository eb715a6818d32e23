#include "diagnose/far_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include "diagnose/candidates.hpp"
#include "diagnose/step_graph.hpp"

namespace pipewright::diagnose {
namespace {

/// By rank and rank: how much later the second one's clock says that a communication ended.
using Differences = std::map<int, std::map<int, std::vector<double>>>;

Differences differences_of(const MeasuredJob& job) {
  const StepGraph graph = graph_of(job, 0);
  const std::span<const TracedOperation> all = job.of_step(0);
  std::vector<size_t> first(graph.groups, nothing);
  Differences differences;
  for (size_t i = 0; i < all.size(); ++i) {
    if (graph.group[i] == nothing || !ends_with_others(all[i])) continue;
    size_t& one = first[graph.group[i]];
    if (one == nothing) {
      one = i;
      continue;
    }
    const int a = job.rank_of(all[one]), b = job.rank_of(all[i]);
    const double later = in_seconds(all[i].end() - all[one].end());
    differences[a][b].push_back(later);
    differences[b][a].push_back(-later);
  }
  return differences;
}

/// By rank, how far its clock is ahead of that of the first rank that it is joined to.
std::vector<double> ahead_of_first(const MeasuredJob& job) {
  const Differences differences = differences_of(job);
  std::vector<double> ahead(static_cast<size_t>(job.ranks()));
  std::vector<bool> known(ahead.size());
  for (int start = 0; start < job.ranks(); ++start) {
    if (known[static_cast<size_t>(start)]) continue;
    known[static_cast<size_t>(start)] = true;
    std::queue<int> open({start});
    for (; !open.empty(); open.pop()) {
      const auto from = differences.find(open.front());
      if (from == differences.end()) continue;
      for (const auto& [rank, later] : from->second) {
        const auto place = static_cast<size_t>(rank);
        if (known[place]) continue;
        known[place] = true;
        ahead[place] = ahead[static_cast<size_t>(open.front())] + median_of(later);
        open.push(rank);
      }
    }
  }
  return ahead;
}

double longest_step(const MeasuredJob& job) {
  Time longest;
  for (int rank = 0; rank < job.ranks(); ++rank) {
    const std::span<const TracedOperation> own = job.of(0, rank);
    if (own.empty()) continue;
    const auto last = std::ranges::max_element(own, {}, &TracedOperation::end);
    longest = std::max(longest, last->end() - own.front().start);
  }
  return in_seconds(longest);
}

}  // namespace

double bring_near(MeasuredJob& job) {
  const std::vector<double> ahead = ahead_of_first(job);
  // The clock of most ranks is taken for right.
  const double usual = median_of(ahead);
  double largest = 0;
  for (const double one : ahead) largest = std::max(largest, std::abs(one - usual));
  if (largest <= longest_step(job)) return 0;
  for (TracedOperation& one : job.operations)
    one.start -= seconds(ahead[static_cast<size_t>(job.rank_of(one))] - usual);
  return largest;
}

}  // namespace pipewright::diagnose
