#include "longest_path.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using schedule::backward;
using schedule::forward;
using schedule::input_gradient;
using schedule::make;
using schedule::weight_gradient;

TEST(LongestPath, follows_the_data_between_ranks_with_latency) {
  // F 2 and B 3 on stage 0, F 4 and B 5 on stage 1, hop 1:
  // 0F0 0..2, 1F0 3..7, 1B0 7..12, 0B0 13..16.
  Schedule s = make({.ranks = 2, .micro_batches = 1}, 2);
  s.order = {{forward(0, 0), backward(0, 0)}, {forward(1, 0), backward(1, 0)}};
  const Evaluation e = evaluate(
      s,
      {.forward = std::vector<Time>{{2}, {4}}, .backward = std::vector<Time>{{3}, {5}}, .hop{1}});
  EXPECT_EQ(e[1][0].start, Time{3});
  EXPECT_EQ(e[1][1].end, Time{12});
  EXPECT_EQ(e[0][1].start, Time{13});
  EXPECT_EQ(makespan(e), Time{16});
  EXPECT_EQ(spans(e), (std::vector<Time>{{16}, {9}}));
  EXPECT_EQ(work(s, e), (std::vector<Time>{{5}, {9}}));
}

TEST(LongestPath, two_stages_on_one_rank_pay_no_hop) {
  Schedule s = make({.ranks = 1, .micro_batches = 1}, 2);
  s.order = {{forward(0, 0), forward(1, 0), backward(1, 0), backward(0, 0)}};
  EXPECT_EQ(makespan(evaluate(s, {.forward = Time{1}, .backward = Time{2}, .hop{100}})), Time{6});
}

TEST(LongestPath, a_slice_waits_for_the_earlier_one_forward_and_the_later_one_backward) {
  // Rank 1 gets slice 1 before slice 0 is done there: F 1 on stage 0, F 5 on stage 1.
  // 0F0.0 0..1, 0F0.1 1..2, 1F0.0 1..6, 1F0.1 6..11, 1B0.1 11..12, 1B0.0 12..13, 0B0.1 12..13,
  // 0B0.0 13..14.
  Schedule s = make({.ranks = 2, .micro_batches = 1}, 2, 2);
  for (int i : {0, 1}) {
    s.order[i] = {forward(i, 0, 0), forward(i, 0, 1), backward(i, 0, 1), backward(i, 0, 0)};
  }
  const Evaluation e = evaluate(s, {.forward = std::vector<Time>{{1}, {5}}, .backward = Time{1}});
  EXPECT_EQ(e[1][1].start, Time{6});
  EXPECT_EQ(e[0][3].start, Time{13});
  EXPECT_EQ(makespan(e), Time{14});
}

TEST(LongestPath, a_pair_waits_for_both_inputs_and_both_end_with_it) {
  // Rank 1 makes 1F0 2..3 and 1I0 3..4 (hop 1, F I W 1). Rank 0's pair (0F1; 0I0) waits for 1I0's
  // arrival at 5 and takes 7: 0F1 is on rank 1 at 13.
  Schedule s = make({.ranks = 2, .micro_batches = 2}, 2);
  Action paired = forward(0, 1);
  paired.pairs_with_next = true;
  s.order = {{forward(0, 0), paired, input_gradient(0, 0), weight_gradient(0, 0),
              input_gradient(0, 1), weight_gradient(0, 1)},
             {forward(1, 0), input_gradient(1, 0), weight_gradient(1, 0), forward(1, 1),
              input_gradient(1, 1), weight_gradient(1, 1)}};
  const Evaluation e = evaluate(s, {.forward = Time{1},
                                    .input_gradient = Time{1},
                                    .weight_gradient = Time{1},
                                    .hop{1},
                                    .pair = Time{7}});
  EXPECT_EQ(e[0][1].start, Time{5});
  EXPECT_EQ(e[0][1].end, Time{12});
  EXPECT_EQ(e[0][2].end, Time{12});
  EXPECT_EQ(e[1][3].start, Time{13});
  EXPECT_EQ(work(s, e)[0], Time{1 + 7 + 3});
  // The pair's F counts before its I is released: 2 to I and, held to W, 2.
  EXPECT_EQ(peak_in_flight(s), (std::vector<int>{2, 1}));
  EXPECT_EQ(peak_in_flight_to_weight_gradient(s), (std::vector<int>{2, 1}));
}

TEST(LongestPath, activations_held_to_the_weight_gradient_are_more) {
  Schedule s = make({.ranks = 1, .micro_batches = 2}, 1);
  s.order = {{forward(0, 0), input_gradient(0, 0), forward(0, 1), input_gradient(0, 1),
              weight_gradient(0, 0), weight_gradient(0, 1)}};
  EXPECT_EQ(peak_in_flight(s), std::vector<int>{1});
  EXPECT_EQ(peak_in_flight_to_weight_gradient(s), std::vector<int>{2});
}

TEST(LongestPath, an_order_that_cannot_run_is_an_error) {
  Schedule s = make({.ranks = 2, .micro_batches = 2}, 2);
  s.order = {{forward(0, 0), backward(0, 0), forward(0, 1), backward(0, 1)},
             {forward(1, 0), forward(1, 1), backward(1, 0), backward(1, 1)}};
  EXPECT_THROW(evaluate(s, {.forward = Time{1}, .backward = Time{1}}), std::runtime_error);
}

}  // namespace
}  // namespace pipewright::test
