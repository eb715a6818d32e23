#include "run/outer_waits.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

OuterSteps outer(int every, int overlap) {
  OuterSteps steps;
  steps.every = every;
  steps.overlap = overlap;
  return steps;
}

std::vector<int64_t> waits(int64_t inner, const std::vector<OuterMeeting>& meetings, int every,
                           int overlap) {
  std::vector<int64_t> all;
  for (const Time wait : outer_waits(Time{inner}, meetings, outer(every, overlap)))
    all.push_back(wait.ps);
  return all;
}

OuterMeeting exchange(int64_t length) { return {.exchange = Time{length}, .compute = Time{}}; }

TEST(OuterWaits, without_overlap_are_the_exchanges) {
  EXPECT_EQ(waits(100, {exchange(250)}, 4, 0), std::vector<int64_t>{250});
  EXPECT_EQ(waits(100, {exchange(250), exchange(30)}, 4, 0), (std::vector<int64_t>{250, 30}));
}

// A step of 100 hides as much of the exchange; three steps hide all of it.
TEST(OuterWaits, overlap_hides_as_many_steps) {
  EXPECT_EQ(waits(100, {exchange(250)}, 4, 1), std::vector<int64_t>{150});
  EXPECT_EQ(waits(100, {exchange(250)}, 4, 2), std::vector<int64_t>{50});
  EXPECT_EQ(waits(100, {exchange(250)}, 4, 3), std::vector<int64_t>{0});
}

// Four steps of 100 and an exchange of 1000: the network is never idle, and a period takes as long
// as the exchange.
TEST(OuterWaits, sites_wait_for_a_full_network) {
  EXPECT_EQ(waits(100, {exchange(1000)}, 4, 3), std::vector<int64_t>{700});
  const std::vector<int64_t> halves = waits(100, {exchange(500), exchange(500)}, 4, 3);
  EXPECT_EQ(halves[0] + halves[1], 600);  // with 400 of steps, 1000
}

// Fragments meet after steps 2 and 4, 200 apart, so exchanges of 150 do not meet.
TEST(OuterWaits, fragments_that_do_not_meet_hide_alone) {
  EXPECT_EQ(waits(100, {exchange(150), exchange(150)}, 4, 1), (std::vector<int64_t>{50, 50}));
  EXPECT_EQ(waits(100, {exchange(150), exchange(150)}, 4, 2), (std::vector<int64_t>{0, 0}));
}

// Without overlap compute does not change what is waited for.
TEST(OuterWaits, compute_comes_after_the_wait) {
  const OuterMeeting one{.exchange = Time{250}, .compute = Time{40}};
  EXPECT_EQ(waits(100, {one}, 1, 0), std::vector<int64_t>{250});
}

}  // namespace
}  // namespace pipewright::test
