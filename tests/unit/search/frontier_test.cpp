#include "search/frontier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace pipewright::search {
namespace {

/// Every way to run the chain, those that another beats left out.
std::set<std::pair<int64_t, int64_t>> frontier_by_trying(const FrontierProblem& p) {
  std::vector<std::pair<int64_t, int64_t>> all;
  std::vector<int> strategies;
  const auto extend = [&](const auto& self, int64_t time, int64_t memory) -> void {
    const size_t link = strategies.size();
    if (link == p.links.size()) {
      all.emplace_back(time, memory);
      return;
    }
    for (int strategy = 0; strategy < static_cast<int>(p.links[link].size()); ++strategy) {
      const Cost cost = p.links[link][static_cast<size_t>(strategy)];
      const int64_t edge = link == 0 ? 0 : p.edge(link - 1, strategies.back(), strategy).ps;
      strategies.push_back(strategy);
      self(self, time + cost.time.ps + edge, memory + cost.memory.count);
      strategies.pop_back();
    }
  };
  extend(extend, 0, 0);
  std::set<std::pair<int64_t, int64_t>> kept;
  for (const auto& one : all) {
    const bool beaten = std::ranges::any_of(all, [&](const auto& other) {
      return other != one && other.first <= one.first && other.second <= one.second;
    });
    if (!beaten) kept.insert(one);
  }
  return kept;
}

TEST(Frontier, equals_trying_everything) {
  std::mt19937 random(9);
  std::uniform_int_distribution<int> any(1, 30);
  for (size_t links = 1; links <= 6; ++links) {
    for (size_t strategies = 1; strategies <= 4; ++strategies) {
      FrontierProblem problem;
      for (size_t i = 0; i < links; ++i) {
        problem.links.emplace_back();
        for (size_t w = 0; w < strategies; ++w)
          problem.links.back().push_back({{any(random)}, {any(random)}});
      }
      for (const int kinds : {1, 2, 4}) {  // of strategies, by what lies between them
        problem.edge = [kinds](size_t link, int a, int b) {
          a %= kinds, b %= kinds;
          return a == b ? Time{} : Time{static_cast<int64_t>(link) + a + 2 * b};
        };
        std::set<std::pair<int64_t, int64_t>> found;
        for (const FrontierPoint& point : frontier(problem))
          found.emplace(point.time.ps, point.memory.count);
        EXPECT_EQ(found, frontier_by_trying(problem))
            << links << " links in " << strategies << " ways of " << kinds << " kinds";
      }
    }
  }
}

// Strategies of which neighbours have the same edges, which are merged, and each point by its sum.
TEST(Frontier, costs_what_its_strategies_cost) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int> any(1, 30);
  FrontierProblem problem;
  for (size_t i = 0; i < 7; ++i) {
    problem.links.emplace_back();
    for (size_t w = 0; w < 6; ++w) problem.links.back().push_back({{any(random)}, {any(random)}});
  }
  problem.edge = [](size_t, int a, int b) { return a / 2 == b / 2 ? Time{} : Time{1 + a / 2}; };
  const std::vector<FrontierPoint> points = frontier(problem);
  EXPECT_GT(points.size(), 1u);
  for (const FrontierPoint& point : points) {
    ASSERT_EQ(point.strategies.size(), problem.links.size());
    Time time;
    Bytes memory;
    for (size_t i = 0; i < problem.links.size(); ++i) {
      const int strategy = point.strategies[i];
      const Cost cost = problem.links[i][static_cast<size_t>(strategy)];
      time += cost.time;
      memory += cost.memory;
      if (i > 0) time += problem.edge(i - 1, point.strategies[i - 1], strategy);
    }
    EXPECT_EQ(point.time, time);
    EXPECT_EQ(point.memory, memory);
  }
}

// Two links, each 1 s and 3 B or 2 s and 1 B: (2, 6), (3, 4), (4, 2), and how each is run.
TEST(Frontier, says_how_each_link_is_run) {
  const std::vector<Cost> either = {{{1}, {3}}, {{2}, {1}}};
  const FrontierProblem problem{{either, either}, [](size_t, int, int) { return Time{}; }};
  const std::vector<FrontierPoint> points = frontier(problem);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points.front().strategies, (std::vector<int>{0, 0}));
  EXPECT_EQ(points.back().strategies, (std::vector<int>{1, 1}));
}

}  // namespace
}  // namespace pipewright::search
