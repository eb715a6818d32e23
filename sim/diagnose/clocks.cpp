#include "diagnose/clocks.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "diagnose/step_graph.hpp"

namespace pipewright::diagnose {
namespace {

constexpr int most_clocks = 1024;
constexpr int rounds = 6;
constexpr double sure = 3;       // times the error
constexpr double finest = 1e-6;  ///< seconds: profilers count in microseconds

struct End {
  int rank;
  double at;     ///< seconds from the middle of the trace
  double place;  ///< the same, from -1 at its begin to 1 at its end
};
using Groups = std::vector<std::vector<End>>;

Groups groups_of(const MeasuredJob& job, Time middle, double half_s) {
  Groups groups;
  for (size_t step = 0; step < job.steps.size(); ++step) {
    const StepGraph graph = graph_of(job, step);
    const std::span<const TracedOperation> all = job.of_step(step);
    std::vector<std::vector<End>> of_step(graph.groups);
    for (size_t i = 0; i < all.size(); ++i)
      if (graph.group[i] != nothing && ends_with_others(all[i])) {
        const double at = in_seconds(all[i].end() - middle);
        of_step[graph.group[i]].push_back({job.rank_of(all[i]), at, at / half_s});
      }
    for (std::vector<End>& group : of_step)
      if (group.size() > 1) groups.push_back(std::move(group));
  }
  return groups;
}

double residual_mean(const std::vector<End>& group, const Eigen::VectorXd& x, double& weight) {
  double sum = 0;
  for (const End& end : group) sum += end.at + x[2 * end.rank] + x[2 * end.rank + 1] * end.place;
  weight = static_cast<double>(group.size());
  return sum / weight;
}

/// The residual of every member of every group, one after another.
std::vector<double> residuals(const Groups& groups, const Eigen::VectorXd& x) {
  std::vector<double> all;
  for (const std::vector<End>& group : groups) {
    double size = 0;
    const double mean = residual_mean(group, x, size);
    for (const End& end : group)
      all.push_back(std::abs(end.at + x[2 * end.rank] + x[2 * end.rank + 1] * end.place - mean));
  }
  return all;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One round: the weighed least squares, each group's common end eliminated.
Eigen::VectorXd solve(const Groups& groups, int ranks, const std::vector<double>& weights) {
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(2 * ranks, 2 * ranks);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(2 * ranks);
  size_t next = 0;
  for (const std::vector<End>& group : groups) {
    double total = 0;
    for (size_t i = 0; i < group.size(); ++i) total += weights[next + i];
    for (size_t i = 0; i < group.size(); ++i) {
      for (size_t j = 0; j < group.size(); ++j) {
        const double w = weights[next + i] * ((i == j ? 1 : 0) - weights[next + j] / total);
        const Eigen::Vector2d a(1, group[i].place), b(1, group[j].place);
        normal.block<2, 2>(2 * group[i].rank, 2 * group[j].rank) += w * a * b.transpose();
        right.segment<2>(2 * group[i].rank) -= w * a * group[j].at;
      }
    }
    next += group.size();
  }
  // What all clocks share nobody knows: the first is held. Nor does anybody know how ranks that no
  // group joins to it differ: that stays small.
  const double scale = std::max(normal.trace() / (2 * ranks), 1e-30);
  normal(0, 0) += scale;
  normal(1, 1) += scale;
  for (int i = 0; i < 2 * ranks; ++i) normal(i, i) += scale * 1e-9;
  return normal.ldlt().solve(right);
}

void centre(Eigen::VectorXd& x, int ranks) {
  for (int part = 0; part < 2; ++part) {
    double mean = 0;
    for (int r = 0; r < ranks; ++r) mean += x[2 * r + part] / ranks;
    for (int r = 0; r < ranks; ++r) x[2 * r + part] -= mean;
  }
}

std::pair<Time, Time> span_of(const MeasuredJob& job) {
  Time first = job.operations.front().start, last = first;
  for (const TracedOperation& one : job.operations) {
    first = std::min(first, one.start);
    last = std::max(last, one.end());
  }
  return {first, last};
}

}  // namespace

double Clocks::largest(Time first, Time last) const {
  double most = 0;
  for (size_t rank = 0; rank < offset_s.size(); ++rank)
    for (const Time at : {first, last})
      most = std::max(most, std::abs(offset_s[rank] + drift[rank] * in_seconds(at - middle)));
  return most;
}

Clocks compare_clocks(const MeasuredJob& job) {
  Clocks clocks;
  const int ranks = job.ranks();
  clocks.offset_s.assign(static_cast<size_t>(ranks), 0);
  clocks.drift = clocks.offset_s;
  if (ranks > most_clocks) return clocks;
  const auto [first, last] = span_of(job);
  clocks.middle = first + divide(last - first, 2);
  const double half_s = std::max(in_seconds(last - first) / 2, finest);
  const Groups groups = groups_of(job, clocks.middle, half_s);
  clocks.groups = groups.size();
  if (groups.empty()) return clocks;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(2 * ranks);
  std::vector<double> off = residuals(groups, x);
  std::vector<double> weights(off.size(), 1);
  for (int round = 0; round < rounds; ++round) {
    x = solve(groups, ranks, weights);
    off = residuals(groups, x);
    const double usual = std::max(median(off), 1e-9);
    for (size_t i = 0; i < off.size(); ++i)
      weights[i] = 1 / std::pow(std::max(off[i] / usual, 1.0), 2);
  }
  centre(x, ranks);
  clocks.error_s = median(off);
  for (int r = 0; r < ranks; ++r) {
    clocks.offset_s[static_cast<size_t>(r)] = x[2 * r];
    clocks.drift[static_cast<size_t>(r)] = x[2 * r + 1] / half_s;
  }
  return clocks;
}

int align(MeasuredJob& job, const Clocks& clocks) {
  if (clocks.groups == 0) return 0;
  const auto [first, last] = span_of(job);
  std::vector<bool> off(clocks.offset_s.size());
  for (size_t rank = 0; rank < off.size(); ++rank) {
    Clocks one = clocks;
    one.offset_s = {clocks.offset_s[rank]};
    one.drift = {clocks.drift[rank]};
    off[rank] = one.largest(first, last) > sure * std::max(clocks.error_s, finest);
  }
  for (TracedOperation& one : job.operations) {
    const auto rank = static_cast<size_t>(job.rank_of(one));
    if (!off[rank]) continue;
    const double drift = clocks.drift[rank];
    one.start += seconds(clocks.offset_s[rank] + drift * in_seconds(one.start - clocks.middle));
    one.duration += seconds(drift * in_seconds(one.duration));
  }
  return static_cast<int>(std::ranges::count(off, true));
}

}  // namespace pipewright::diagnose
