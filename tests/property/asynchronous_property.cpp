// The asynchronous schedules: their steady state by exact longest path, and the weight versions
// that their passes read, hold and delay.
#include <gtest/gtest.h>

#include <random>

#include "longest_path.hpp"
#include "schedule/kinds/kinds.hpp"
#include "schedule/versions.hpp"
#include "support/built_schedule.hpp"

namespace pipewright::schedule {
namespace {

using test::built;
using test::evaluate;
using test::peak_in_flight;

/// The end of each micro-batch's backward on rank 0.
std::vector<Time> ends_on_rank_0(const Schedule& s, const test::Times& times) {
  const auto run = evaluate(s, times);
  std::vector<Time> ends(static_cast<size_t>(s.total_micro_batches()));
  for (size_t k = 0; k < run[0].size(); ++k)
    if (s.order[0][k].pass == Pass::backward) ends[s.order[0][k].micro_batch] = run[0][k].end;
  return ends;
}

const char* const per_micro_batch[] = {"pipedream", "spectrain", "pipeoptim", "pipelined-backprop"};

TEST(Asynchronous, runs_in_the_period_of_the_slowest_stage_without_latency) {
  // max (F_i + B_i). The longest cycle of p <= 6 stages repeats after at most 6 micro-batches,
  // hence after 60; the first 600 are left to settle, the last 40 to drain.
  std::mt19937 random(3);
  std::uniform_int_distribution<int64_t> length(1, 40);
  for (int p = 1; p <= 6; ++p) {
    for (int round = 0; round < 20; ++round) {
      std::vector<Time> f, b;
      Time slowest{};
      for (int i = 0; i < p; ++i) {
        f.push_back(Time{length(random)});
        b.push_back(Time{length(random)});
        slowest = std::max(slowest, f[i] + b[i]);
      }
      const auto ends =
          ends_on_rank_0(built("pipedream", p, 700, 1), {.forward = f, .backward = b});
      EXPECT_EQ(ends[660] - ends[600], 60 * slowest) << p;
    }
  }
}

TEST(Asynchronous, pays_latency_once_a_round_of_p_micro_batches) {
  // Steady period tF + tB + 2c(p-1)/p a micro-batch.
  for (int p = 1; p <= 8; ++p) {
    for (const auto& [f, b] : {std::pair{1, 2}, {3, 3}, {5, 2}}) {
      for (int64_t c : {0, 1, 7}) {
        const auto ends = ends_on_rank_0(built("pipedream", p, 20 * p, 1),
                                         {.forward = Time{f}, .backward = Time{b}, .hop = Time{c}});
        EXPECT_EQ((ends[11 * p] - ends[10 * p]).ps, p * (f + b) + 2 * c * (p - 1)) << p << " " << c;
      }
    }
  }
}

TEST(Asynchronous, keeps_p_minus_i_micro_batches_in_flight_over_all_iterations) {
  for (const char* spec :
       {"pipedream", "pipedream-2bw", "spectrain", "pipeoptim", "xpipe", "pipelined-backprop"}) {
    for (int p = 1; p <= 8; ++p) {
      for (int m : {p, 2 * p + 1}) {
        const Schedule s = built(spec, p, m, 3);
        EXPECT_FALSE(s.synchronous);
        for (int i = 0; i < p; ++i) EXPECT_EQ(peak_in_flight(s)[i], p - i) << spec;
      }
    }
  }
}

TEST(Asynchronous, drains_once_at_the_end_of_the_stream) {
  // (m n + p - 1)(tF + tB) for n iterations, against n flushes of a synchronous schedule.
  for (int p = 1; p <= 6; ++p) {
    for (int n = 1; n <= 4; ++n) {
      const test::Times times{.forward = Time{2}, .backward = Time{3}};
      EXPECT_EQ(makespan(evaluate(built("pipedream-2bw", p, 2 * p, n), times)).ps,
                (2 * p * n + p - 1) * 5);
    }
  }
}

TEST(WeightVersions, a_flush_leaves_one_version_and_no_delay) {
  for (const Kind* kind : kinds()) {
    for (int iterations : {1, 3}) {
      const Schedule s = build({.ranks = 4, .micro_batches = 8, .iterations = iterations},
                               config::scalar(kind->name));
      if (!s.synchronous) continue;
      for (const Versions& rank : weight_versions(s)) {
        EXPECT_EQ(rank.held, 1) << kind->name;
        EXPECT_EQ(rank.staleness, 0) << kind->name;
      }
    }
  }
}

TEST(WeightVersions, pipedream_stashes_one_for_each_micro_batch_in_flight) {
  for (int p = 1; p <= 9; ++p) {
    for (int m : {1, p, 3 * p}) {
      const auto ranks = weight_versions(built("pipedream", p, m, 3 * p));
      for (int i = 0; i < p; ++i) {
        EXPECT_EQ(ranks[i].held, p - i);
        EXPECT_EQ(ranks[i].staleness, p - 1 - i);
      }
    }
  }
}

TEST(WeightVersions, pipedream_reads_the_version_that_is_the_warm_up_behind) {
  // F and B of micro-batch b on stage i read max(0, b - (p-1-i)).
  const Schedule s = built("pipedream", 4, 5, 4);
  for (int i = 0; i < 4; ++i)
    for (const Action& a : s.order[i])
      EXPECT_EQ(a.weight_version, std::max(0, a.micro_batch - (3 - i))) << to_string(a);
}

TEST(WeightVersions, vertical_sync_holds_p_versions_and_delays_p_minus_1_everywhere) {
  for (int p = 1; p <= 8; ++p) {
    for (const Versions& rank :
         weight_versions(built("{name: pipedream, vertical_sync: true}", p, 4 * p, 1))) {
      EXPECT_EQ(rank.held, p);
      EXPECT_EQ(rank.staleness, p - 1);
    }
  }
}

TEST(WeightVersions, two_buffers_hold_two_and_delay_one) {
  for (int p = 1; p <= 8; ++p) {
    for (int m = p; m <= 2 * p + 1; ++m) {
      for (const Versions& rank : weight_versions(built("2bw", p, m, 3))) {
        EXPECT_EQ(rank.held, 2) << p << " " << m;
        EXPECT_EQ(rank.staleness, 1) << p << " " << m;
      }
    }
  }
}

TEST(WeightVersions, two_buffers_of_one_iteration_never_need_the_second) {
  // Batch 0 reads W(0) and nothing reads W(1), which may overwrite it.
  for (const Versions& rank : weight_versions(built("2bw", 4, 8, 1))) {
    EXPECT_EQ(rank.held, 1);
    EXPECT_EQ(rank.staleness, 0);
  }
}

TEST(WeightVersions, prediction_needs_no_stash) {
  for (const char* spec : {"spectrain", "pipeoptim", "pipelined-backprop"}) {
    for (int p = 1; p <= 8; ++p) {
      const auto ranks = weight_versions(built(spec, p, 3 * p, 1));
      for (int i = 0; i < p; ++i) {
        EXPECT_EQ(ranks[i].held, 1) << spec;
        EXPECT_EQ(ranks[i].staleness, p - 1 - i) << spec;
      }
    }
  }
}

TEST(WeightVersions, a_lockstep_clock_delays_twice_the_stages_that_follow) {
  const char* const spec = "{name: pipelined-backprop, clock: lockstep}";
  const auto ranks = weight_versions(built(spec, 5, 30, 1));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ranks[i].held, 1);
    EXPECT_EQ(ranks[i].staleness, 2 * (4 - i));
    EXPECT_EQ(peak_in_flight(built(spec, 5, 30, 1))[i], 2 * (5 - i) - 1);
  }
}

TEST(WeightVersions, reused_predictions_are_held_while_in_flight) {
  const auto ranks = weight_versions(built("{name: spectrain, backward: reuse}", 6, 30, 1));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(ranks[i].held, 6 - i);
}

TEST(WeightVersions, xpipe_delays_by_the_mini_batches_in_flight) {
  // ceil((p-1-k)/m) mini-batches of m are in flight on stage k.
  for (int p = 1; p <= 9; ++p) {
    for (int m = 1; m <= p + 1; ++m) {
      const auto ranks = weight_versions(built("xpipe", p, m, 3 * p + 3));
      for (int k = 0; k < p; ++k) {
        const int in_flight = (p - 1 - k + m - 1) / m;
        EXPECT_EQ(ranks[k].staleness, in_flight) << p << " " << m << " " << k;
        EXPECT_EQ(ranks[k].held, 1 + in_flight) << p << " " << m << " " << k;
      }
    }
  }
}

/// The version that each pass of micro-batch b on `stage` aims at: {forward, backward}.
std::pair<int, int> aims(const Schedule& s, int stage, int b) {
  std::pair<int, int> result;
  for (const Action& a : s.order[stage]) {
    if (a.micro_batch != b) continue;
    const LookAhead ahead = s.look_ahead.at(stage);
    (a.pass == Pass::forward ? result.first : result.second) =
        a.weight_version + (a.pass == Pass::forward ? ahead.forward : ahead.backward);
  }
  return result;
}

TEST(LookAhead, forward_and_backward_aim_at_the_same_version_in_the_steady_state) {
  // SpecTrain's at floor(k/2) steps after the version that the gradient is applied to (its B looks
  // ahead as well), or at that version where B reuses; the others' at that version: b for a step
  // after each micro-batch, b/m for XPipe.
  const int p = 6, b = 40;
  for (int k = 0; k < p; ++k) {
    const auto at = [&](const char* spec, int m, int n) {
      return aims(built(spec, p, m, n), k, b);
    };
    EXPECT_EQ(at("spectrain", 60, 1), std::pair(b + k / 2, b + k / 2));
    EXPECT_EQ(at("{name: spectrain, backward: reuse}", 60, 1), std::pair(b, b));
    EXPECT_EQ(at("pipeoptim", 60, 1), std::pair(b, b));
    EXPECT_EQ(at("{name: pipeoptim, prediction_offset: 1}", 60, 1), std::pair(b + 1, b));
    EXPECT_EQ(at("{name: pipelined-backprop, weight_prediction: true}", 60, 1), std::pair(b, b));
    EXPECT_EQ(at("{name: pipelined-backprop, weight_prediction: true, clock: lockstep}", 60, 1),
              std::pair(b, b));
    EXPECT_EQ(at("xpipe", 4, 15), std::pair(b / 4, b / 4));
  }
}

TEST(LookAhead, xpipe_rounds_as_asked) {
  // p = 6, m = 4: stages 0..5 have 5, 4, 3, 2, 1, 0 micro-batches between F and B, that is 1.25, 1,
  // 0.75, 0.5, 0.25 and 0 mini-batches.
  const auto ahead = [](const char* spec) {
    std::vector<int> result;
    for (const LookAhead& stage : built(spec, 6, 4, 2).look_ahead) result.push_back(stage.forward);
    return result;
  };
  EXPECT_EQ(ahead("{name: xpipe, rounding: up}"), (std::vector<int>{2, 1, 1, 1, 1, 0}));
  EXPECT_EQ(ahead("{name: xpipe, rounding: down}"), (std::vector<int>{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(ahead("{name: xpipe, rounding: nearest}"), (std::vector<int>{1, 1, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace pipewright::schedule
