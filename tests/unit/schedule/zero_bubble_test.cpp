// ZB-H1, ZB-H2, ZB-V and the automatic search: orders small enough to write by hand, and options.
#include <gtest/gtest.h>

#include "built.hpp"
#include "error_of.hpp"
#include "order_text.hpp"

namespace pipewright::schedule {
namespace {

using test::error_of;
using test::order_text;

TEST(ZbH1, on_three_ranks_w_lags_by_the_rank) {
  const Schedule s = built("zb-h1", {.ranks = 3, .micro_batches = 3});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0F1 0F2 0I0 0W0 0I1 0W1 0I2 0W2");
  EXPECT_EQ(order_text(s.order[1]), "1F0 1F1 1I0 1F2 1I1 1W0 1I2 1W1 1W2");
  EXPECT_EQ(order_text(s.order[2]), "2F0 2I0 2F1 2I1 2F2 2I2 2W0 2W1 2W2");
}

// torch's order by hand, p = 2, v = 2, m = 2: one round of two; warm-up 3 and 2, W behind I number
// 0 and 1.
TEST(InterleavedZb, on_two_ranks_of_two_chunks) {
  const Schedule s = built("interleaved-zb", {.ranks = 2, .micro_batches = 2});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0F1 2F0 2F1 2I0 2W0 2I1 2W1 0I0 0W0 0I1 0W1");
  EXPECT_EQ(order_text(s.order[1]), "1F0 1F1 3F0 3I0 3F1 3I1 3W0 1I0 3W1 1I1 1W0 1W1");
}

TEST(InterleavedZb, of_one_chunk_is_zb_h1) {
  for (const int ranks : {1, 2, 3, 5})
    for (const int m : {1, 4, 7}) {
      const Shape shape{.ranks = ranks, .micro_batches = m};
      const Schedule one = built("{name: interleaved-zb, virtual: 1}", shape);
      const Schedule h1 = built("zb-h1", shape);
      for (size_t i = 0; i < one.order.size(); ++i)
        EXPECT_EQ(order_text(one.order[i]), order_text(h1.order[i])) << ranks << ' ' << m;
    }
}

TEST(InterleavedZb, rounds_must_be_alike) {
  EXPECT_EQ(error_of([] { built("interleaved-zb", {.ranks = 2, .micro_batches = 5}); }),
            "s.yaml:1:1: error: 5 micro-batches cannot be cut into 2 equal rounds; a multiple of "
            "the 2 ranks fits");
}

TEST(ZeroBubble, pytorch_s_names_are_known) {
  for (const auto& [theirs, ours] : {std::pair("InterleavedZeroBubble", "interleaved-zb"),
                                     {"ZBVZeroBubble", "zb-v"},
                                     {"DualPipeV", "dualpipe-v"},
                                     {"Interleaved1F1B", "interleaved-1f1b"},
                                     {"LoopedBFS", "looped-bfs"},
                                     {"1F1B", "1f1b"},
                                     {"GPipe", "gpipe"}})
    EXPECT_EQ(find_kind(theirs), find_kind(ours)) << theirs;
}

TEST(ZeroBubble, pytorch_s_classes_have_a_hint) {
  for (const std::string name : {"ZBVZeroBubble", "DualPipeV"})
    EXPECT_EQ(
        error_of([&] { built("Schedule" + name, {.ranks = 2, .micro_batches = 4}); }),
        "s.yaml:1:1: error: unknown schedule 'Schedule" + name + "'; did you mean '" + name + "'?");
}

TEST(ZbH2, on_two_ranks_warms_up_twice_as_long) {
  // p = 2: warm-up 2 and 0, lag 0 and 2.
  const Schedule s = built("zb-h2", {.ranks = 2, .micro_batches = 4});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0F1 0F2 0I0 0W0 0F3 0I1 0W1 0I2 0W2 0I3 0W3");
  EXPECT_EQ(order_text(s.order[1]), "1F0 1I0 1F1 1I1 1F2 1I2 1W0 1F3 1I3 1W1 1W2 1W3");
}

TEST(ZbH2, can_keep_every_w_until_the_forwards_are_done) {
  const Schedule s =
      built("{name: zb-h2, weight_gradients: after-forwards}", {.ranks = 2, .micro_batches = 4});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0F1 0F2 0I0 0F3 0I1 0W0 0I2 0W1 0I3 0W2 0W3");
  EXPECT_EQ(order_text(s.order[1]), "1F0 1I0 1F1 1I1 1F2 1I2 1F3 1I3 1W0 1W1 1W2 1W3");
}

TEST(ZbV, on_two_ranks_follows_its_phases) {
  // Rank 0 (stages 0 and 3): F0 x 3; (F3 I3 W3) x 2; one steady round (all F0's done), no (I0 I3);
  // (I0 W0) x 2. Rank 1 (stages 1 and 2): F1 x 1; F2 F1; F2 I2 W2; two steady rounds less one.
  const Schedule s = built("zb-v", {.ranks = 2, .micro_batches = 3});
  EXPECT_EQ(order_text(s.order[0]),
            "0F0 0F1 0F2 3F0 3I0 3W0 3F1 3I1 3W1 0I0 0W0 3F2 3I2 3W2 0I1 0W1 0I2 0W2");
  EXPECT_EQ(order_text(s.order[1]),
            "1F0 2F0 1F1 2F1 2I0 2W0 1F2 1I0 1W0 2F2 2I1 2W1 1I1 2I2 1I2 1W1 2W2 1W2");
}

TEST(ZbV, with_few_micro_batches_leaves_out_the_surplus) {
  const Schedule s = built("zb-v", {.ranks = 2, .micro_batches = 1});
  EXPECT_EQ(order_text(s.order[0]), "0F0 3F0 3I0 3W0 0I0 0W0");
  EXPECT_EQ(order_text(s.order[1]), "1F0 2F0 2I0 2W0 1I0 1W0");
}

TEST(ZbAuto, with_room_for_one_micro_batch_takes_one_at_a_time) {
  const Schedule s = built("{name: zb-auto, memory_limit: 1}", {.ranks = 2, .micro_batches = 2});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0I0 0W0 0F1 0I1 0W1");
  EXPECT_EQ(order_text(s.order[1]), "1F0 1I0 1W0 1F1 1I1 1W1");
}

TEST(ZbAuto, what_the_input_gradient_frees_lets_the_next_forward_in) {
  // One micro-batch fits. When I frees all of it, no W is needed before the next F; without F's to
  // do, rank 0's W's go before its I, for which nobody waits.
  const Schedule s = built("{name: zb-auto, memory_limit: 1, freed_by_input_gradient: 100%}",
                           {.ranks = 1, .micro_batches = 3});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0I0 0F1 0I1 0F2 0W0 0W1 0I2 0W2");
}

TEST(ZbAuto, uses_the_costs_that_it_is_given) {
  // Rank 0's F is as long as all of rank 1's micro-batch: with time for it, rank 1 does W's while
  // it waits for the next F instead of leaving them to the end.
  const Shape shape{.ranks = 2, .micro_batches = 3, .costs = [](int stages) {
                      EXPECT_EQ(stages, 2);
                      return StageCosts{.forward = {Time{9}, Time{1}},
                                        .input_gradient = {Time{1}, Time{1}},
                                        .weight_gradient = {Time{1}, Time{1}},
                                        .hop = Time{1}};
                    }};
  const Schedule s = built("zb-auto", shape);
  EXPECT_EQ(order_text(s.order[1]), "1F0 1I0 1W0 1F1 1I1 1W1 1F2 1I2 1W2");
}

TEST(ZeroBubble, an_unknown_option_is_named) {
  EXPECT_EQ(error_of([] { built("{name: zb-h1, virtual: 2}", {}); }),
            "s.yaml:1:15: error: unknown key 'virtual'; zb-h1 has: name");
  EXPECT_EQ(error_of([] { built("{name: zb-h2, weight_gradients: eager}", {}); }),
            "s.yaml:1:33: error: 'eager' must be one of lagged, after-forwards");
  EXPECT_EQ(error_of([] { built("{name: zb-auto, memory_limit: 0.5}", {}); }),
            "s.yaml:1:31: error: '0.5' must be a number from 1 to 1000000000");
}

}  // namespace
}  // namespace pipewright::schedule
