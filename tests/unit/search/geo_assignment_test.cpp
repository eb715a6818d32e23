#include "search/geo_assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "in_order.hpp"

namespace pipewright::search {
namespace {

GeoProblem random_problem(std::mt19937& random, int stages, int replicas) {
  GeoProblem problem{.stages = stages, .replicas = replicas};
  problem.gradient_bytes = 100;
  problem.activation_bytes = 60;
  const int n = problem.devices();
  std::uniform_int_distribution<int> any(1, 90);
  for (int i = 0; i < n * n; ++i) {
    problem.latency_s.push_back(any(random) / 10.0);
    problem.seconds_per_byte.push_back(any(random) / 100.0);
  }
  return problem;
}

double message(const GeoProblem& p, int a, int b, double bytes) {
  const auto one = [&](int from, int to) {
    const auto at = static_cast<size_t>(from * p.devices() + to);
    return p.latency_s[at] + bytes * p.seconds_per_byte[at];
  };
  return std::max(one(a, b), one(b, a));
}

/// The least cost over all permutations of the devices: place k * replicas + r is replica r of
/// stage k, and it hands on to its own replica of stage k + 1.
double least_cost_by_trying(const GeoProblem& p) {
  std::vector<int> order = in_order(static_cast<size_t>(p.devices()));
  double best = std::numeric_limits<double>::infinity();
  do {
    double data = 0, path = 0;
    for (int k = 0; k < p.stages; ++k) {
      double slowest = 0;
      for (int r = 0; r < p.replicas; ++r) {
        const int device = order[static_cast<size_t>(k * p.replicas + r)];
        double sum = 0;
        for (int other = 0; other < p.replicas; ++other)
          if (other != r)
            sum += 2 * message(p, device, order[static_cast<size_t>(k * p.replicas + other)],
                               p.gradient_bytes / p.replicas);
        data = std::max(data, sum);
        if (k + 1 < p.stages)
          slowest = std::max(
              slowest, message(p, device, order[static_cast<size_t>((k + 1) * p.replicas + r)],
                               p.activation_bytes));
      }
      path += slowest;
    }
    best = std::min(best, data + 2 * path);
  } while (std::ranges::next_permutation(order).found);
  return best;
}

TEST(GeoAssignment, equals_trying_every_placement) {
  std::mt19937 random(5);
  for (const auto& [stages, replicas] :
       {std::pair{1, 4}, {4, 1}, {2, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 2}}) {
    const GeoProblem problem = random_problem(random, stages, replicas);
    EXPECT_NEAR(geo_assignment(problem, 1).seconds, least_cost_by_trying(problem), 1e-9)
        << stages << " x " << replicas;
  }
}

TEST(GeoAssignment, gives_every_device_one_place) {
  std::mt19937 random(6);
  const GeoPlan plan = geo_assignment(random_problem(random, 12, 3), 1);
  std::vector<int> all;
  for (const std::vector<int>& stage : plan.stages)
    all.insert(all.end(), stage.begin(), stage.end());
  std::ranges::sort(all);
  EXPECT_EQ(all, in_order(36));
}

TEST(GeoAssignment, is_the_same_for_the_same_seed) {
  std::mt19937 random(8);
  const GeoProblem problem = random_problem(random, 4, 4);
  EXPECT_EQ(geo_assignment(problem, 3).stages, geo_assignment(problem, 3).stages);
}

// Two sites of two devices, a fast link in each and a slow one between: gradients, which are the
// larger, stay within a site.
TEST(GeoAssignment, keeps_what_talks_most_together) {
  GeoProblem problem{.stages = 2, .replicas = 2};
  problem.gradient_bytes = 1000;
  problem.activation_bytes = 1;
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < 4; ++to) {
      problem.latency_s.push_back(0);
      problem.seconds_per_byte.push_back(from % 2 == to % 2 ? 1 : 10);
    }
  for (const std::vector<int>& stage : geo_assignment(problem, 1).stages)
    EXPECT_EQ(stage[0] % 2, stage[1] % 2);
}

}  // namespace
}  // namespace pipewright::search
