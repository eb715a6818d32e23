// The schedules over token slices, by exact longest path, and where sequences are cut, against all
// cuts there are.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <numeric>
#include <random>

#include "longest_path.hpp"
#include "schedule/token_cuts.hpp"
#include "support/built_schedule.hpp"

namespace pipewright::schedule {
namespace {

using test::built;
using test::evaluate;
using test::makespan;
using test::peak_in_flight;

TEST(TeraPipe, takes_the_closed_form_for_unlike_slices) {
  // T = (1+a)(m sum t + (p-1) max t) + 2(p-1)c for forward times t_k and backward times a t_k.
  std::mt19937 random(4);
  std::uniform_int_distribution<int64_t> length(1, 30);
  for (int p = 1; p <= 7; ++p) {
    for (int m = 1; m <= 4; ++m) {
      for (int slices = 1; slices <= 6; ++slices) {
        std::vector<int64_t> t;
        for (int k = 0; k < slices; ++k) t.push_back(length(random));
        const int64_t sum = std::accumulate(t.begin(), t.end(), int64_t{0});
        const int64_t a = 1 + p % 3, c = m;
        const Schedule s = built(fmt::format("{{name: terapipe, slices: {}}}", slices), p, m);
        const auto run = evaluate(
            s,
            [&](const Action& x) { return Time{t[x.slice] * (x.pass == Pass::forward ? 1 : a)}; },
            Time{c});
        EXPECT_EQ(makespan(run).ps,
                  (1 + a) * (m * sum + (p - 1) * std::ranges::max(t)) + 2 * (p - 1) * c)
            << p << " " << m << " " << slices;
        EXPECT_EQ(peak_in_flight(s), std::vector<int>(p, m * slices));
      }
    }
  }
}

TEST(Seq1F1B, has_the_bubble_of_one_slice) {
  // Equal slices: T = (mK + p-1)(tF+tB); K = 1 is 1F1B.
  for (int p = 1; p <= 8; ++p) {
    for (int m = 1; m <= 2 * p + 1; ++m) {
      for (int slices = 1; slices <= 6; ++slices) {
        const Schedule s = built(fmt::format("{{name: seq-1f1b, slices: {}}}", slices), p, m);
        for (const auto& [f, b] : {std::pair{1, 2}, {3, 3}, {5, 2}})
          EXPECT_EQ(makespan(evaluate(s, {.forward = Time{f}, .backward = Time{b}})).ps,
                    (m * slices + p - 1) * (f + b))
              << p << " " << m << " " << slices;
        for (int i = 0; i < p; ++i)
          EXPECT_EQ(peak_in_flight(s)[i], std::min(m * slices, p - 1 - i + slices));
      }
    }
  }
  EXPECT_EQ(built("{name: seq-1f1b, slices: 1}", 4, 9).order, built("1f1b", 4, 9).order);
}

TEST(Seq1F1B, interleaved_holds_megatrons_warm_up_and_a_whole_micro_batch) {
  // min(mvK, 2(p-1-i) + (v-1)pK + K) slices of one chunk.
  for (int p = 1; p <= 5; ++p) {
    for (int v = 2; v <= 3; ++v) {
      for (int slices = 1; slices <= 4; ++slices) {
        const int m = 2 * p;
        const Schedule s =
            built(fmt::format("{{name: seq-1f1b, virtual: {}, slices: {}}}", v, slices), p, m);
        EXPECT_EQ(s.stages, p * v);
        for (int i = 0; i < p; ++i)
          EXPECT_EQ(peak_in_flight(s)[i],
                    std::min(m * v * slices, 2 * (p - 1 - i) + (v - 1) * p * slices + slices));
      }
    }
  }
}

/// A cost for every (length, context) up to `tokens`, at random; where `growing`, it grows with
/// both.
std::vector<std::vector<int64_t>> random_costs(std::mt19937& random, int tokens, bool growing) {
  std::uniform_int_distribution<int64_t> any(1, 50);
  std::vector<std::vector<int64_t>> cost(tokens + 1, std::vector<int64_t>(tokens + 1));
  const int64_t launch = any(random), linear = any(random) % 7, quadratic = any(random) % 3;
  for (int length = 1; length <= tokens; ++length) {
    for (int context = 0; context <= tokens; ++context) {
      cost[length][context] =
          growing ? launch + linear * length + quadratic * length * context : any(random);
    }
  }
  return cost;
}

/// Calls check(lengths) for every way to cut `tokens` tokens after each multiple of `granularity`.
template <class Check>
void for_each_cut(int tokens, int granularity, Check check) {
  const int places = (tokens + granularity - 1) / granularity - 1;
  for (int mask = 0; mask < 1 << places; ++mask) {
    std::vector<int> lengths;
    int start = 0;
    for (int place = 1; place <= places; ++place) {
      if (!(mask >> (place - 1) & 1)) continue;
      lengths.push_back(place * granularity - start);
      start = place * granularity;
    }
    lengths.push_back(tokens - start);
    check(lengths);
  }
}

std::vector<int64_t> costs_of(const std::vector<int>& lengths,
                              const std::vector<std::vector<int64_t>>& cost) {
  std::vector<int64_t> result;
  int context = 0;
  for (int length : lengths) {
    result.push_back(cost[length][context]);
    context += length;
  }
  return result;
}

TEST(TokenCuts, the_fastest_are_as_fast_as_the_best_of_all_cuts) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const int tokens = 1 + round % 11, granularity = 1 + round % 3;
    const int p = 1 + round % 9, m = 1 + round % 4;
    const auto cost = random_costs(random, tokens, round % 2 == 0);
    const auto time = [&](const std::vector<int>& lengths) {
      const auto t = costs_of(lengths, cost);
      return m * std::accumulate(t.begin(), t.end(), int64_t{0}) + (p - 1) * std::ranges::max(t);
    };
    int64_t best = INT64_MAX;
    for_each_cut(tokens, granularity,
                 [&](const std::vector<int>& lengths) { best = std::min(best, time(lengths)); });
    const auto found = fastest_cuts(
        {tokens, granularity}, [&](int l, int c) { return Time{cost[l][c]}; }, p, m);
    EXPECT_EQ(std::accumulate(found.begin(), found.end(), 0), tokens);
    EXPECT_EQ(time(found), best) << round;
  }
}

TEST(TokenCuts, the_balanced_have_the_cheapest_dearest_slice) {
  std::mt19937 random(6);
  for (int round = 0; round < 300; ++round) {
    const int tokens = 1 + round % 11, granularity = 1 + round % 3;
    const auto cost = random_costs(random, tokens, round % 2 == 0);
    const int pieces = (tokens + granularity - 1) / granularity;
    const int count = 1 + round % pieces;
    int64_t best = INT64_MAX;
    for_each_cut(tokens, granularity, [&](const std::vector<int>& lengths) {
      if (static_cast<int>(lengths.size()) != count) return;
      best = std::min(best, std::ranges::max(costs_of(lengths, cost)));
    });
    const auto found = balanced_cuts(
        {tokens, granularity}, [&](int l, int c) { return Time{cost[l][c]}; }, count);
    EXPECT_EQ(static_cast<int>(found.size()), count);
    EXPECT_EQ(std::accumulate(found.begin(), found.end(), 0), tokens);
    EXPECT_EQ(std::ranges::max(costs_of(found, cost)), best) << round;
  }
}

}  // namespace
}  // namespace pipewright::schedule
