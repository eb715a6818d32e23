// The closed forms of the zero-bubble schedules (arXiv 2401.10241), by exact longest path.
#include <gtest/gtest.h>

#include "longest_path.hpp"
#include "support/built_schedule.hpp"

namespace pipewright::schedule {
namespace {

using test::built;
using test::evaluate;
using test::makespan;
using test::max_span;
using test::peak_in_flight;
using test::peak_in_flight_to_weight_gradient;

test::Times times(int64_t f, int64_t i, int64_t w, int64_t hop = 0) {
  return {.forward = Time{f},
          .backward = Time{i + w},
          .input_gradient = Time{i},
          .weight_gradient = Time{w},
          .hop = Time{hop}};
}

/// Calls `check(tF, tI, tW)` for every tF, tI up to 4 and tW up to the smaller of them.
template <class Check>
void for_each_time(Check check) {
  for (int64_t f = 1; f <= 4; ++f)
    for (int64_t i = 1; i <= 4; ++i)
      for (int64_t w = 1; w <= std::min(f, i); ++w) check(f, i, w);
}

TEST(ZbH1, takes_the_closed_form_where_w_is_the_shortest_pass) {
  // tW <= min(tF, tI), m >= p: makespan = max span = m(tF+tI+tW) + (p-1)(tF+tI-tW).
  for (int p = 1; p <= 8; ++p) {
    for (int m : {p, p + 1, 2 * p, 3 * p + 2}) {
      const Schedule s = built("zb-h1", p, m);
      for_each_time([&](int64_t f, int64_t i, int64_t w) {
        const auto run = evaluate(s, times(f, i, w));
        const Time expected{m * (f + i + w) + (p - 1) * (f + i - w)};
        EXPECT_EQ(makespan(run), expected) << p << " " << m << " " << f << i << w;
        EXPECT_EQ(max_span(run), expected) << p << " " << m << " " << f << i << w;
      });
    }
  }
}

TEST(ZbH1, every_rank_holds_p_micro_batches_to_w_and_p_minus_i_to_the_input_gradient) {
  for (int p = 1; p <= 9; ++p) {
    for (int m = 1; m <= 2 * p + 3; ++m) {
      const Schedule s = built("zb-h1", p, m);
      for (int i = 0; i < p; ++i) {
        EXPECT_EQ(peak_in_flight_to_weight_gradient(s)[i], std::min(m, p)) << p << " " << m;
        EXPECT_EQ(peak_in_flight(s)[i], std::min(m, p - i)) << p << " " << m;
      }
    }
  }
}

TEST(ZbH2, takes_the_closed_forms_where_w_is_the_shortest_pass) {
  // tW <= min(tF, tI), m >= 2p-1: max span - work = (p-1) max(0, tF+tI-2tW),
  // makespan - work = (p-1) max(tF, tF+tI-2tW).
  for (int p = 1; p <= 8; ++p) {
    for (int m : {2 * p - 1, 2 * p, 3 * p + 1, 5 * p}) {
      const Schedule s = built("zb-h2", p, m);
      for_each_time([&](int64_t f, int64_t i, int64_t w) {
        const auto run = evaluate(s, times(f, i, w));
        const int64_t work = m * (f + i + w), gap = f + i - 2 * w;
        EXPECT_EQ(max_span(run).ps, work + (p - 1) * std::max<int64_t>(0, gap))
            << p << " " << m << " " << f << i << w;
        EXPECT_EQ(makespan(run).ps, work + (p - 1) * std::max(f, gap))
            << p << " " << m << " " << f << i << w;
      });
    }
  }
}

TEST(ZbH2, every_rank_holds_twice_p_less_one_micro_batches_to_w) {
  for (int p = 1; p <= 9; ++p)
    for (int m : {2 * p - 1, 2 * p, 3 * p + 1})
      for (int held : peak_in_flight_to_weight_gradient(built("zb-h2", p, m)))
        EXPECT_EQ(held, 2 * p - 1) << p << " " << m;
}

TEST(ZbH2, with_w_after_the_forwards_only_memory_to_w_changes) {
  // No W before the last F: rank i has done warm-up + k = m-1 F's at I(k), all of them held to W.
  for (int p = 2; p <= 6; ++p) {
    for (int m : {2 * p, 3 * p, 5 * p}) {
      const Schedule lagged = built("zb-h2", p, m);
      const Schedule after = built("{name: zb-h2, weight_gradients: after-forwards}", p, m);
      EXPECT_EQ(peak_in_flight(after), peak_in_flight(lagged));
      for (int held : peak_in_flight_to_weight_gradient(after)) EXPECT_EQ(held, m);
    }
  }
}

TEST(ZbV, has_no_bubble_in_any_rank_when_all_passes_take_the_same_time) {
  // Chunks of tF = tI = tW = t, m >= 2p-1: max span = work = 6mt, makespan = work + (p-1)t.
  for (int p = 1; p <= 10; ++p) {
    for (int m : {2 * p - 1, 2 * p, 2 * p + 1, 4 * p}) {
      for (int64_t t : {1, 7}) {
        const auto run = evaluate(built("zb-v", p, m), times(t, t, t));
        EXPECT_EQ(max_span(run).ps, 6 * m * t) << p << " " << m;
        EXPECT_EQ(makespan(run).ps, 6 * m * t + (p - 1) * t) << p << " " << m;
      }
    }
  }
}

TEST(ZbV, holds_two_chunks_for_each_rank_to_w) {
  for (int p = 1; p <= 10; ++p)
    for (int m : {2 * p - 1, 2 * p, 4 * p})
      for (int held : peak_in_flight_to_weight_gradient(built("zb-v", p, m)))
        EXPECT_EQ(held, 2 * p) << p << " " << m;
}

TEST(ZbAuto, is_as_fast_as_zb_h1_at_its_memory) {
  // The published search at limit p finds ZB-H1's span (its authors' "ZB-1p").
  for (int p = 1; p <= 8; ++p) {
    for (int m : {p, 2 * p, 3 * p}) {
      const Schedule s = built("zb-auto", p, m);
      EXPECT_EQ(max_span(evaluate(s, times(1, 1, 1))).ps, 3 * m + p - 1) << p << " " << m;
    }
  }
}

TEST(ZbAuto, keeps_its_memory_limit) {
  for (int p = 1; p <= 7; ++p) {
    for (int m : {1, p, 2 * p + 1, 4 * p}) {
      for (int limit = 1; limit <= 2 * p; ++limit) {
        const std::string spec = "{name: zb-auto, memory_limit: " + std::to_string(limit) + "}";
        for (int held : peak_in_flight_to_weight_gradient(built(spec.c_str(), p, m)))
          EXPECT_LE(held, limit) << p << " " << m;
      }
    }
  }
}

TEST(ZbAuto, has_no_bubble_at_twice_the_memory) {
  // The authors' "ZB-2p": with 2p micro-batches' activations and equal times nothing is idle.
  for (int p = 1; p <= 8; ++p) {
    for (int m : {2 * p, 3 * p, 6 * p}) {
      const std::string spec = "{name: zb-auto, memory_limit: " + std::to_string(2 * p) + "}";
      const Schedule s = built(spec.c_str(), p, m);
      EXPECT_EQ(max_span(evaluate(s, times(1, 1, 1))).ps, 3 * m) << p << " " << m;
    }
  }
}

}  // namespace
}  // namespace pipewright::schedule
