#include <gtest/gtest.h>

#include "interop/goal.hpp"
#include "support/error_of.hpp"

namespace pipewright::goal {
namespace {

using test::error_of;

/// What is wrong with two ranks that do this.
std::string check_error(const std::string& zero, const std::string& one) {
  return error_of(
      [&] { check(parse("num_ranks 2\nrank 0 {\n" + zero + "}\nrank 1 {\n" + one + "}\n", "f")); });
}

// Sends of rank 0 to 1: tag 1 twice, tag 2 once. Of 1 to itself: once.
TEST(GoalCheck, messages_are_put_in_channels_in_the_order_of_the_file) {
  const Goal goal = parse(
      "num_ranks 2\nrank 0 {\nsend 5b to 1 tag 1\nsend 6b to 1 tag 2\nsend 5b to 1 tag 1\n}\n"
      "rank 1 {\nrecv 6b from 0 tag 2\nrecv 5b from 0 tag 1\nsend 1b to 1\nrecv 1b from 1\n"
      "recv 5b from 0 tag 1\n}\n",
      "f");
  const Channels channels = check(goal);
  EXPECT_EQ(channels.first, (std::vector<uint32_t>{0, 2, 3, 4}));
  EXPECT_EQ(channels.sends, (std::vector<uint32_t>{0, 2, 1, 5}));
  EXPECT_EQ(channels.receives, (std::vector<uint32_t>{4, 7, 3, 6}));
}

TEST(GoalCheck, a_send_without_a_receive_is_named) {
  EXPECT_EQ(check_error("a: send 8b to 1 tag 4\n", ""),
            "f:3:1: error: rank 0's a sends 8 bytes to rank 1 with tag 4, but there are more such "
            "sends than receives");
  EXPECT_EQ(check_error("a: send 8b to 1 tag 4\n", "b: recv 8b from 0 tag 5\n"),
            "f:3:1: error: rank 0's a sends 8 bytes to rank 1 with tag 4, but there are more such "
            "sends than receives");
}

TEST(GoalCheck, a_receive_without_a_send_is_named) {
  EXPECT_EQ(check_error("send 8b to 1\n", "a: recv 8b from 0\n  b: recv 8b from 0\n"),
            "f:7:3: error: rank 1's b receives 8 bytes from rank 0 with tag 0, but there are more "
            "such receives than sends");
}

TEST(GoalCheck, sizes_must_agree) {
  EXPECT_EQ(check_error("a: send 8b to 1\n", "b: recv 9b from 0\n"),
            "f:6:1: error: rank 1's b receives 9 bytes from rank 0 with tag 0, but what comes is 8 "
            "bytes: rank 0's a sends 8 bytes to rank 1 with tag 0 at line 3");
  // In another order they would: which comes first is not known before it runs.
  EXPECT_EQ(check_error("send 8b to 1\nsend 9b to 1\n", "recv 9b from 0\nrecv 8b from 0\n"),
            "no error");
  EXPECT_NE(check_error("send 8b to 1\nsend 9b to 1\n", "recv 9b from 0\nrecv 9b from 0\n"),
            "no error");
}

TEST(GoalCheck, ops_that_wait_for_each_other_are_named) {
  EXPECT_EQ(check_error(
                "a: calc 1\nb: calc 1\nc: calc 1\na requires b\nb irequires c\nc requires a\n", ""),
            "f:3:1: error: in rank 0, a waits for b waits for c waits for a: a circle");
}

}  // namespace
}  // namespace pipewright::goal
