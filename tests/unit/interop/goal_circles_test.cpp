#include "interop/goal_circles.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"

namespace pipewright::goal {
namespace {

/// What is wrong with two ranks that do this.
std::string circle_error(const std::string& zero, const std::string& one) {
  return test::error_of([&] {
    const Goal goal = parse("num_ranks 2\nrank 0 {\n" + zero + "}\nrank 1 {\n" + one + "}\n", "f");
    check_messages(goal, check(goal));
  });
}

TEST(GoalCircles, of_messages_are_named_at_a_line) {
  EXPECT_EQ(circle_error("a: recv 8b from 1 tag 1\nb: send 8b to 1 tag 2\nb requires a\n",
                         "c: recv 8b from 0 tag 2\nd: send 8b to 0 tag 1\nd requires c\n"),
            "f:3:1: error: rank 0's a waits for the message of rank 1's d waits for rank 1's c "
            "waits for the message of rank 0's b waits for rank 0's a: a circle");
}

TEST(GoalCircles, of_a_rank_with_itself_are_found) {
  EXPECT_EQ(circle_error("a: recv 8b from 0\nb: send 8b to 0\nb requires a\n", ""),
            "f:3:1: error: rank 0's a waits for the message of rank 0's b waits for rank 0's a: a "
            "circle");
}

// A send never waits for its receiver.
TEST(GoalCircles, are_none_where_both_send_first) {
  EXPECT_EQ(circle_error("a: send 8b to 1\nb: recv 8b from 1\nb requires a\n",
                         "c: send 8b to 0\nd: recv 8b from 0\nd requires c\n"),
            "no error");
}

// The send starts with the receive, which waits for the answer.
TEST(GoalCircles, are_none_where_what_is_waited_for_is_a_start) {
  EXPECT_EQ(circle_error("a: recv 8b from 1\nb: send 8b to 1\nb irequires a\n",
                         "c: recv 8b from 0\nd: send 8b to 0\nd requires c\n"),
            "no error");
}

// Which of two messages of one channel a receive gets is known only when it has run.
TEST(GoalCircles, are_none_where_another_message_of_the_channel_serves) {
  EXPECT_EQ(circle_error("a: send 8b to 1\nb: recv 8b from 1\nc: send 8b to 1\nc requires b\n",
                         "d: recv 8b from 0\ne: send 8b to 0\ne requires d\nf: recv 8b from 0\n"),
            "no error");
}

}  // namespace
}  // namespace pipewright::goal
