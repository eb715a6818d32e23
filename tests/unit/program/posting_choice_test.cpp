#include "program/posting_choice.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"

namespace pipewright {
namespace {

using schedule::backward, schedule::forward;

Posting choice_for(const char* spec, int ranks, int micro_batches) {
  return choose_posting(schedule::build({.ranks = ranks, .micro_batches = micro_batches},
                                        config::parse(spec, "s.yaml")));
}

TEST(PostingChoice, stages_that_keep_step_are_posted_in_turn) {
  for (const char* name : {"1f1b", "gpipe", "terapipe", "seq-1f1b", "pipedream"})
    EXPECT_EQ(choice_for(name, 4, 8), Posting::in_turn) << name;
}

TEST(PostingChoice, a_stage_two_forwards_ahead_of_the_next_needs_receives_ahead) {
  EXPECT_EQ(choice_for("eager-1f1b", 4, 8), Posting::ahead);
  EXPECT_EQ(choice_for("eager-1f1b", 4, 1), Posting::in_turn);  // 1F1B's order
  schedule::Schedule pairs = schedule::make({.ranks = 2, .micro_batches = 4}, 2);
  for (const int b : {0, 2}) {  // two forwards, then two backwards
    for (int stage = 0; stage < 2; ++stage) {
      schedule::Order& order = pairs.order[static_cast<size_t>(stage)];
      order.insert(order.end(), {forward(stage, b), forward(stage, b + 1)});
      order.insert(order.end(), {backward(stage, b), backward(stage, b + 1)});
    }
  }
  EXPECT_EQ(choose_posting(pairs), Posting::in_turn);
  pairs.order[1] = {forward(1, 0), backward(1, 0), forward(1, 1), backward(1, 1),
                    forward(1, 2), backward(1, 2), forward(1, 3), backward(1, 3)};
  EXPECT_EQ(choose_posting(pairs), Posting::in_turn);
  pairs.order[0] = {forward(0, 0),  forward(0, 1), forward(0, 2),  backward(0, 0),
                    backward(0, 1), forward(0, 3), backward(0, 2), backward(0, 3)};
  EXPECT_EQ(choose_posting(pairs), Posting::ahead);
}

TEST(PostingChoice, split_backwards_are_posted_ahead) {
  for (const char* name : {"zb-h1", "zb-h2", "zb-auto", "interleaved-zb", "zb-v"})
    EXPECT_EQ(choice_for(name, 4, 8), Posting::ahead) << name;
}

TEST(PostingChoice, looped_stages_are_posted_as_by_megatron_while_messages_come_round_in_time) {
  EXPECT_EQ(choice_for("interleaved-1f1b", 4, 8), Posting::looped);
  EXPECT_EQ(choice_for("looped-bfs", 4, 4), Posting::looped);
  EXPECT_EQ(choice_for("looped-bfs", 4, 8), Posting::ahead);
  EXPECT_EQ(choice_for("{name: interleaved-1f1b, group: 5}", 4, 10), Posting::ahead);
  EXPECT_EQ(choice_for("hanayo", 4, 8), Posting::ahead);  // to and fro
}

}  // namespace
}  // namespace pipewright
