// DualPipe (arXiv 2412.19437), DualPipeV, Chimera (arXiv 2107.06925) and Hanayo (arXiv 2308.15762):
// closed forms by exact longest path.
#include <gtest/gtest.h>

#include "longest_path.hpp"
#include "support/built_schedule.hpp"

namespace pipewright::schedule {
namespace {

using test::built;
using test::evaluate;
using test::makespan;

/// makespan - work of the rank with the least work.
int64_t most_idle(const Schedule& s, int64_t t, int64_t pair) {
  const test::Times times{.forward = Time{t},
                          .backward = Time{2 * t},
                          .input_gradient = Time{t},
                          .weight_gradient = Time{t},
                          .pair = Time{pair}};
  const auto run = evaluate(s, times);
  return makespan(run).ps - std::ranges::min(test::work(s, run)).ps;
}

TEST(DualPipe, has_the_published_bubble_at_equal_times) {
  // (p/2 - 1)(tFB + tB - 3tW) for a pair no shorter than its B and no longer than F and B.
  for (int p = 2; p <= 12; p += 2)
    for (int m : {2 * p, 2 * p + 2, 3 * p + p % 4, 5 * p})
      for (int64_t t : {2, 3, 5})
        for (int64_t pair = 2 * t; pair <= 3 * t; ++pair)
          EXPECT_EQ(most_idle(built("dualpipe", p, m), t, pair), (p / 2 - 1) * (pair - t))
              << p << " " << m << " " << t << " " << pair;
}

TEST(DualPipe, every_rank_holds_p_plus_one_micro_batches_to_w) {
  for (int p = 2; p <= 12; p += 2)
    for (int m : {2 * p, 2 * p + 2, 5 * p})
      for (int held : test::peak_in_flight_to_weight_gradient(built("dualpipe", p, m)))
        EXPECT_EQ(held, p + 1) << p << " " << m;
}

TEST(DualPipe, the_first_half_enters_at_rank_0_and_the_other_at_the_last) {
  const int p = 4, m = 12;
  const Schedule s = built("dualpipe", p, m);
  for (int i = 0; i < p; ++i)
    for (const Action& a : s.order[i])
      EXPECT_EQ(a.stage, a.micro_batch < m / 2 ? i : p - 1 - i) << to_string(a);
}

TEST(DualPipe, without_overlap_the_same_passes_run_unpaired) {
  Schedule paired = built("dualpipe", 6, 14);
  const Schedule plain = built("{name: dualpipe, overlap: false}", 6, 14);
  EXPECT_NE(paired.order, plain.order);
  for (Order& order : paired.order)
    for (Action& action : order) action.pairs_with_next = false;
  EXPECT_EQ(paired.order, plain.order);
}

TEST(DualPipeV, has_the_published_bubble_at_equal_times) {
  for (int p = 1; p <= 8; ++p)
    for (int m : {2 * p, 2 * p + 1, 3 * p, 5 * p})
      for (int64_t t : {2, 3, 5})
        for (int64_t pair = 2 * t; pair <= 3 * t; ++pair)
          EXPECT_EQ(most_idle(built("dualpipe-v", p, m), t, pair), (p - 1) * (pair - t))
              << p << " " << m << " " << t << " " << pair;
}

TEST(DualPipeV, every_rank_holds_2p_plus_one_chunks_to_w) {
  for (int p = 1; p <= 8; ++p)
    for (int m : {2 * p, 2 * p + 1, 5 * p})
      for (int held : test::peak_in_flight_to_weight_gradient(built("dualpipe-v", p, m)))
        EXPECT_EQ(held, std::min(2 * p + 1, 2 * m)) << p << " " << m;
}

TEST(Chimera, takes_the_closed_form_for_whole_units) {
  // m = kp, tB >= tF: T = m tF + (m+p-2) tB + (k-1)(p-2)(tB-tF).
  for (int p = 2; p <= 12; p += 2) {
    for (int k = 1; k <= 5; ++k) {
      const Schedule s = built("chimera", p, k * p);
      for (int64_t f = 1; f <= 4; ++f) {
        for (int64_t b = f; b <= 3 * f; ++b) {
          const int64_t m = k * p;
          EXPECT_EQ(makespan(evaluate(s, {.forward = Time{f}, .backward = Time{b}})).ps,
                    m * f + (m + p - 2) * b + (k - 1) * (p - 2) * (b - f))
              << p << " " << k << " " << f << " " << b;
        }
      }
    }
  }
}

TEST(Chimera, holds_half_of_p_and_one_at_the_ends_and_p_in_the_middle) {
  for (int p = 2; p <= 12; p += 2) {
    for (int k = 1; k <= 4; ++k) {
      const std::vector<int> held = test::peak_in_flight(built("chimera", p, k * p));
      EXPECT_EQ(held.front(), p / 2 + 1) << p << " " << k;
      EXPECT_EQ(held.back(), p / 2 + 1) << p << " " << k;
      EXPECT_EQ(held[p / 2], p) << p << " " << k;
      EXPECT_EQ(std::ranges::max(held), p) << p << " " << k;
    }
  }
}

TEST(Chimera, with_2f_pipelines_the_bubble_of_one_unit_is_p_over_f_less_two) {
  // The paper's generalisation, tF = tB = 1, m = p: 2m passes a rank and p/f - 2 idle slots. By
  // hand for p = 8, f = 2: rank 0 is busy in the slots 0, 2..15 and 17.
  for (const auto& [p, f] : {std::pair{8, 2}, {12, 2}, {12, 3}, {16, 2}, {16, 4}, {24, 3}}) {
    const std::string spec = "{name: chimera, pipelines: " + std::to_string(2 * f) + "}";
    const auto run = evaluate(built(spec, p, p), {.forward = Time{1}, .backward = Time{1}});
    EXPECT_EQ(makespan(run).ps, 2 * p + p / f - 2) << p << " " << f;
  }
}

TEST(Chimera, doubled_forwards_leave_no_gaps_between_units) {
  // m = 2kp, tB = 2tF: a slot of two F is as long as one of B, so that all slots of a unit are
  // filled, and T <= m (tF + tB) + (p-2) tB. Units that are merely put behind each other leave
  // gaps.
  for (int p = 2; p <= 12; p += 2) {
    for (int k = 1; k <= 4; ++k) {
      const int64_t m = 2 * k * p, f = 3, b = 2 * f;
      const test::Times times{.forward = Time{f}, .backward = Time{b}};
      const auto run = evaluate(built("{name: chimera, doubling: true}", p, int(m)), times);
      EXPECT_LE(makespan(run).ps, m * (f + b) + (p - 2) * b) << p << " " << k;
      EXPECT_GE(makespan(run).ps, m * (f + b)) << p << " " << k;
      if (p == 2) continue;  // two ranks have no gaps
      EXPECT_LT(makespan(run).ps, makespan(evaluate(built("chimera", p, int(m)), times)).ps)
          << p << " " << k;
    }
  }
}

TEST(Chimera, doubled_forwards_hold_at_most_twice_as_much) {
  for (int p = 2; p <= 12; p += 2)
    for (int m : {p, 2 * p, 3 * p, 6 * p, 6 * p + 1})
      for (int held : test::peak_in_flight(built("{name: chimera, doubling: true}", p, m)))
        EXPECT_LE(held, 2 * p) << p << " " << m;
}

TEST(Chimera, doubling_conserves_work) {
  // Every micro-batch passes every stage once forward and once back, however many there are.
  for (int p : {2, 4, 8})
    for (int m : {1, 2, p - 1, p, 2 * p + 1, 5 * p + 3})
      for (const char* spec :
           {"{name: chimera, doubling: true}", "{name: chimera, pipelines: 2, doubling: true}"}) {
        const Schedule s = built(spec, p, m);
        size_t passes = 0;
        for (const Order& order : s.order) passes += order.size();
        EXPECT_EQ(passes, size_t(2 * p * m)) << p << " " << m;
        EXPECT_GE(makespan(evaluate(s, {.forward = Time{1}, .backward = Time{2}})).ps, 3 * m);
      }
}

TEST(Hanayo, one_wave_takes_the_closed_form) {
  // m = p, tB = 2tF per chunk: T = 2p tF + (4p-2) tB.
  for (int p = 1; p <= 16; ++p) {
    const auto run = evaluate(built("hanayo", p, p), {.forward = Time{1}, .backward = Time{2}});
    EXPECT_EQ(makespan(run).ps, 2 * p + (4 * p - 2) * 2) << p;
  }
}

TEST(Hanayo, more_waves_have_smaller_bubbles) {
  // In units of one rank's whole forward of a micro-batch (2W chunks); m = p.
  for (int p = 2; p <= 8; ++p) {
    double before = 1e9;
    for (int waves : {1, 2, 4}) {
      const std::string spec = "{name: hanayo, waves: " + std::to_string(waves) + "}";
      const auto run = evaluate(built(spec, p, p), {.forward = Time{1}, .backward = Time{2}});
      const double bubble = double(makespan(run).ps - 6 * p * waves) / (2 * waves);
      EXPECT_LT(bubble, before) << p << " " << waves;
      before = bubble;
    }
  }
}

TEST(Hanayo, folds_the_stages_in_zig_zag) {
  const Schedule s = built("{name: hanayo, waves: 2}", 3, 2);
  ASSERT_EQ(s.stages, 12);
  // Chunks of rank 0: down 0, up 5, down 6, up 11.
  for (const Action& a : s.order[0])
    EXPECT_TRUE(a.stage == 0 || a.stage == 5 || a.stage == 6 || a.stage == 11) << to_string(a);
}

TEST(Hanayo, no_more_micro_batches_are_under_way_than_in_flight_says) {
  for (int limit = 1; limit <= 5; ++limit) {
    const std::string spec = "{name: hanayo, in_flight: " + std::to_string(limit) + "}";
    const Schedule s = built(spec, 4, 13);
    int in_flight = 0;
    for (const Action& a : s.order[0]) {
      if (a.stage != 0) continue;
      in_flight += a.pass == Pass::forward ? 1 : -1;
      EXPECT_LE(in_flight, limit);
    }
  }
}

}  // namespace
}  // namespace pipewright::schedule
