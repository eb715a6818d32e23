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

Differences differences_of(const MeasuredJob& job, size_t step) {
  const StepGraph graph = graph_of(job, step);
  const std::span<const TracedOperation> all = job.of_step(step);
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
std::vector<double> ahead_of_first(const MeasuredJob& job, size_t step) {
  const Differences differences = differences_of(job, step);
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

double longest_of(const MeasuredJob& job, size_t step) {
  Time longest;
  for (int rank = 0; rank < job.ranks(); ++rank) {
    const std::span<const TracedOperation> own = job.of(step, rank);
    if (own.empty()) continue;
    const auto last = std::ranges::max_element(own, {}, &TracedOperation::end);
    longest = std::max(longest, last->end() - own.front().start);
  }
  return in_seconds(longest);
}

/// Whether a rank begins the step far from most others on clocks that are `ahead`.
bool begins_apart(const MeasuredJob& job, size_t step, const std::vector<double>& ahead) {
  std::vector<double> begins;
  for (int rank = 0; rank < job.ranks(); ++rank)
    if (const auto own = job.of(step, rank); !own.empty())
      begins.push_back(in_seconds(own.front().start) - ahead[static_cast<size_t>(rank)]);
  const double usual = median_of(begins), longest = longest_of(job, step);
  return std::ranges::any_of(begins, [&](double one) { return std::abs(one - usual) > longest; });
}

/// How far clocks are ahead in the step, where that is more than a step away from `before`.
std::vector<double> ahead_in(const MeasuredJob& job, size_t step, std::vector<double> before) {
  std::vector<double> ahead = ahead_of_first(job, step);
  // The clock of most ranks is taken for right.
  const double usual = median_of(ahead);
  double largest = 0;
  for (size_t rank = 0; rank < ahead.size(); ++rank) {
    ahead[rank] -= usual;
    largest = std::max(largest, std::abs(ahead[rank] - before[rank]));
  }
  return largest <= longest_of(job, step) ? before : ahead;
}

using ByRank = std::vector<double>;

/// Nobody sets clocks more often while a profiler runs.
constexpr size_t most_settings = 2;

/// By step, how far clocks are ahead. One that has to be put back again and again was not set: it
/// counts faster, which least squares find.
std::vector<ByRank> ahead_by_step(const MeasuredJob& job) {
  std::vector<ByRank> all;
  ByRank ahead = ahead_in(job, 0, ByRank(static_cast<size_t>(job.ranks())));
  size_t set = 0;
  for (size_t step = 0; step < job.steps.size(); ++step) {
    if (step > 0 && begins_apart(job, step, ahead)) ahead = ahead_in(job, step, std::move(ahead));
    set += step > 0 && ahead != all.back() ? 1 : 0;
    all.push_back(ahead);
  }
  if (set > most_settings || 2 * set + 1 > job.steps.size())
    all.assign(job.steps.size(), ByRank(all.front()));
  return all;
}

}  // namespace

double bring_near(MeasuredJob& job) {
  const std::vector<ByRank> ahead = ahead_by_step(job);
  double largest = 0;
  for (size_t step = 0; step < job.steps.size(); ++step)
    for (TracedOperation& one :
         std::span(job.operations).subspan(job.first_of(step), job.of_step(step).size())) {
      const double shift = ahead[step][static_cast<size_t>(job.rank_of(one))];
      one.start -= seconds(shift);
      largest = std::max(largest, std::abs(shift));
    }
  return largest;
}

}  // namespace pipewright::diagnose
