#include <gtest/gtest.h>

#include "schedule/schedule.hpp"

namespace pipewright::schedule {
namespace {

std::string message_of(const Schedule& schedule) {
  try {
    validate(schedule, {});
  } catch (const InputError& error) {
    return error.message();
  }
  return "valid";
}

/// Two ranks, one micro-batch, GPipe.
Schedule two_ranks() {
  Schedule schedule = make({.ranks = 2, .micro_batches = 1}, 2);
  schedule.order = {{forward(0, 0), backward(0, 0)}, {forward(1, 0), backward(1, 0)}};
  return schedule;
}

TEST(Validate, a_complete_schedule_is_valid) { EXPECT_EQ(message_of(two_ranks()), "valid"); }

TEST(Validate, a_missing_piece_is_named) {
  Schedule schedule = two_ranks();
  schedule.order[1].pop_back();
  EXPECT_EQ(message_of(schedule), "stage 1 never does B of micro-batch 0: 0 of 1 B are done");
}

TEST(Validate, a_piece_given_twice_is_named) {
  Schedule schedule = two_ranks();
  schedule.order[0].push_back(forward(1, 0));
  EXPECT_EQ(message_of(schedule), "1F0 is given twice, on ranks 0 and 1");
}

TEST(Validate, backward_before_forward_is_refused) {
  Schedule schedule = two_ranks();
  std::swap(schedule.order[1][0], schedule.order[1][1]);
  EXPECT_EQ(message_of(schedule), "1B0 must come after 1F0 on the same rank");
}

TEST(Validate, a_cycle_between_ranks_is_refused) {
  // Rank 0 wants the gradient of micro-batch 1 first, rank 1 makes micro-batch 0 whole before it
  // takes the forward of 1, which rank 0 has not sent yet.
  Schedule schedule = make({.ranks = 2, .micro_batches = 2}, 2);
  schedule.order = {{forward(0, 0), backward(0, 0), forward(0, 1), backward(0, 1)},
                    {forward(1, 0), forward(1, 1), backward(1, 0), backward(1, 1)}};
  EXPECT_EQ(message_of(schedule),
            "the order cannot run: rank 0 waits at 0B0 for 1B0 of rank 1, which waits in turn");
}

}  // namespace
}  // namespace pipewright::schedule
