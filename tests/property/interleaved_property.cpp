// The closed forms of the schedules with several chunks of the model a rank, by exact longest path.
// Times are per chunk.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "longest_path.hpp"
#include "support/built_schedule.hpp"

namespace pipewright::schedule {
namespace {

using test::built;
using test::evaluate;
using test::makespan;
using test::peak_in_flight;

std::string interleaved(int v, const std::string& more = "") {
  return fmt::format("{{name: interleaved-1f1b, virtual: {}{}}}", v, more);
}

int64_t time_of(const Schedule& s, int64_t f, int64_t b) {
  return makespan(evaluate(s, {.forward = Time{f}, .backward = Time{b}})).ps;
}

TEST(Interleaved, has_the_bubble_of_one_chunk) {
  // p | m: T = (mv + p-1)(tF+tB).
  for (int p = 1; p <= 8; ++p) {
    for (int v = 1; v <= 4; ++v) {
      for (int m : {p, 2 * p, 3 * p, 5 * p}) {
        for (const auto& [f, b] : {std::pair{1, 2}, {3, 3}, {5, 2}})
          EXPECT_EQ(time_of(built(interleaved(v), p, m), f, b), (m * v + p - 1) * (f + b))
              << p << " " << v << " " << m;
      }
    }
  }
}

TEST(Interleaved, holds_its_warm_up_and_one_chunk) {
  // min(mv, 2(p-1-i) + (v-1)p + 1).
  for (int p = 1; p <= 8; ++p) {
    for (int v = 2; v <= 4; ++v) {
      for (int m : {p, 2 * p, 4 * p}) {
        const std::vector<int> peaks = peak_in_flight(built(interleaved(v), p, m));
        for (int i = 0; i < p; ++i)
          EXPECT_EQ(peaks[i], std::min(m * v, 2 * (p - 1 - i) + (v - 1) * p + 1));
      }
    }
  }
}

TEST(Interleaved, of_one_chunk_is_1f1b) {
  for (int p = 1; p <= 6; ++p)
    for (int m = 1; m <= 13; ++m)
      EXPECT_EQ(built(interleaved(1), p, m).order, built("1f1b", p, m).order);
}

TEST(Interleaved, a_group_of_its_own_size_is_served_where_megatron_serves_it) {
  // p <= g <= m, and m mod g is 0 or at least p; anything else is a misfit. Warm-up grows with g.
  for (int p = 1; p <= 6; ++p) {
    for (int m = 1; m <= 20; ++m) {
      for (int g = 1; g <= m + 1; ++g) {
        const bool fits = p <= g && g <= m && (m % g == 0 || m % g >= p);
        const std::string spec = interleaved(3, fmt::format(", group: {}", g));
        if (!fits) {
          EXPECT_THROW(built(spec, p, m), Misfit) << p << " " << m << " " << g;
          continue;
        }
        const std::vector<int> peaks = peak_in_flight(built(spec, p, m));
        for (int i = 0; i < p; ++i)
          EXPECT_EQ(peaks[i], std::min(m * 3, 2 * (p - 1 - i) + 2 * g + 1));
      }
    }
  }
}

TEST(Interleaved, torch_serves_the_shapes_of_its_own_tests) {
  // (chunks, micro-batches, ranks) that PyTorch tests its Interleaved1F1B and LoopedBFS with.
  const int shapes[][3] = {{2, 2, 2},  {2, 4, 4},   {2, 8, 2},   {2, 8, 4},   {2, 8, 8},
                           {4, 4, 4},  {4, 8, 4},   {4, 8, 8},   {4, 16, 4},  {4, 32, 4},
                           {4, 64, 4}, {4, 16, 16}, {4, 32, 32}, {3, 2, 2},   {3, 8, 2},
                           {3, 12, 4}, {4, 6, 3},   {4, 10, 5},  {4, 128, 64}};
  for (const auto& [v, m, p] : shapes) {
    EXPECT_NO_THROW(built(interleaved(v, ", grouping: torch"), p, m)) << v << " " << m << " " << p;
    EXPECT_NO_THROW(built(fmt::format("{{name: looped-bfs, virtual: {}}}", v), p, m));
  }
}

TEST(Interleaved, torch_groups_are_the_rounds_that_fit) {
  // p=4: m=10 makes rounds = 2 of g = 5; m=3 one of 3; m=9 cannot be halved. Peak on rank 0 with
  // v=2: min(2m, 2*3 + g + 1).
  const std::string spec = interleaved(2, ", grouping: torch");
  EXPECT_EQ(peak_in_flight(built(spec, 4, 10))[0], 12);
  EXPECT_EQ(peak_in_flight(built(spec, 4, 3))[0], 6);
  EXPECT_THROW(built(spec, 4, 9), Misfit);
}

TEST(Interleaved, an_extra_warm_up_holds_one_chunk_more) {
  EXPECT_EQ(peak_in_flight(built(interleaved(2, ", extra_warm_up: 1"), 4, 16)),
            (std::vector<int>{12, 10, 8, 6}));
}

TEST(LoopedBfs, has_the_bubble_of_one_chunk_and_holds_everything) {
  // m >= p: T = (mv + p-1)(tF+tB), in either backward order; mv chunks in flight.
  for (const char* order : {"reversed", "in-order"}) {
    for (int p = 1; p <= 8; ++p) {
      for (int v = 1; v <= 4; ++v) {
        for (int m = p; m <= 2 * p + 3; ++m) {
          const Schedule s = built(
              fmt::format("{{name: looped-bfs, virtual: {}, backward_order: {}}}", v, order), p, m);
          for (const auto& [f, b] : {std::pair{1, 2}, {3, 3}, {5, 2}})
            EXPECT_EQ(time_of(s, f, b), (m * v + p - 1) * (f + b)) << order << p << v << m;
          EXPECT_EQ(peak_in_flight(s), std::vector<int>(p, m * v));
        }
      }
    }
  }
}

}  // namespace
}  // namespace pipewright::schedule
