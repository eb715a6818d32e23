// How many packets a sender may have on their way, by hand.
#include "network/packet/congestion_window.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(CongestionWindow, grows_by_one_for_as_many_acknowledgements_as_it_has_packets) {
  CongestionWindow window(4);
  window.grow();
  EXPECT_DOUBLE_EQ(window.packets(), 4.25);
  EXPECT_TRUE(window.has_room(3));
  EXPECT_FALSE(window.has_room(4)) << "a quarter of a packet is none";
}

TEST(CongestionWindow, halves_once_for_losses_of_the_same_round) {
  CongestionWindow window(8);
  window.halve(3, 10);  // ten were sent
  window.halve(9, 12);  // on its way when the first loss was noticed
  EXPECT_DOUBLE_EQ(window.packets(), 4);
  window.halve(10, 12);
  EXPECT_DOUBLE_EQ(window.packets(), 2);
}

TEST(CongestionWindow, starts_slowly_after_a_time_out) {
  CongestionWindow window(8);
  window.collapse(8, 10);
  EXPECT_DOUBLE_EQ(window.packets(), 1);
  for (int k = 0; k < 3; ++k) window.grow();  // by one each up to half of eight
  EXPECT_DOUBLE_EQ(window.packets(), 4);
  window.grow();
  EXPECT_DOUBLE_EQ(window.packets(), 4.25);
}

// Two windows of four: none marked, 15/16 of one; all marked, a sixteenth of the way back.
TEST(MarkedShare, is_a_mean_of_the_shares_of_past_windows) {
  MarkedShare marks;
  EXPECT_DOUBLE_EQ(marks.share(), 1);
  marks.acknowledge(false, 0, 4);
  EXPECT_DOUBLE_EQ(marks.share(), 15.0 / 16);
  for (uint32_t k = 1; k < 4; ++k) marks.acknowledge(true, k, 4 + k);
  EXPECT_DOUBLE_EQ(marks.share(), 15.0 / 16) << "these are of the same window";
  marks.acknowledge(true, 4, 8);
  EXPECT_DOUBLE_EQ(marks.share(), 15.0 / 16 + 1.0 / 256);
}

TEST(RetransmissionTimer, waits_twice_as_long_after_each_time_out) {
  RetransmissionTimer timer(milliseconds(3));
  EXPECT_EQ(timer.deadline(), longest_time);
  timer.restart(milliseconds(1));
  EXPECT_EQ(timer.deadline(), milliseconds(4));
  timer.back_off(milliseconds(4));
  EXPECT_EQ(timer.deadline(), milliseconds(10));
  timer.back_off(milliseconds(10));
  EXPECT_EQ(timer.deadline(), milliseconds(22));
  timer.acknowledge(milliseconds(20));
  EXPECT_EQ(timer.deadline(), milliseconds(23));
}

TEST(RetransmissionTimer, does_not_pass_the_end_of_time) {
  RetransmissionTimer timer(longest_time);
  timer.back_off(milliseconds(1));
  EXPECT_EQ(timer.deadline(), longest_time);
}

}  // namespace
}  // namespace pipewright
