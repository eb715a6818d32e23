#include "diagnose/time_ranges.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using diagnose::TimeRanges;

/// Seconds 1 to 3 and 5 to 6.
TimeRanges two_ranges() {
  TimeRanges ranges;
  ranges.add(seconds(5), seconds(6)), ranges.add(seconds(1), seconds(2));
  ranges.add(seconds(2), seconds(3)), ranges.add(seconds(1), seconds(1.5));
  ranges.join();
  return ranges;
}

TEST(TimeRanges, those_that_touch_are_one) {
  const TimeRanges ranges = two_ranges();
  EXPECT_EQ(ranges.end() - ranges.first_after(Time{}), 2);
  EXPECT_TRUE(ranges.hold(seconds(1)) && ranges.hold(seconds(2)) && ranges.hold(seconds(2.5)));
  EXPECT_FALSE(ranges.hold(seconds(0.5)) || ranges.hold(seconds(4)) || ranges.hold(seconds(7)));
}

TEST(TimeRanges, what_stands_at_the_end_of_one_is_behind_it) {
  const TimeRanges ranges = two_ranges();
  EXPECT_FALSE(ranges.hold(seconds(3)) || ranges.hold(seconds(6)));
  EXPECT_TRUE(ranges.hold(seconds(5)));
}

TEST(TimeRanges, those_near_each_other_are_one_with_a_gap) {
  TimeRanges ranges;
  ranges.add(seconds(1), seconds(2)), ranges.add(seconds(3), seconds(4));
  ranges.add(seconds(6), seconds(7));
  ranges.join(seconds(1));
  EXPECT_EQ(ranges.within(Time{}, seconds(9)), seconds(4)) << "from 1 to 4, and from 6 to 7";
}

TEST(TimeRanges, what_they_have_of_a_time_and_what_they_lack_are_all_of_it) {
  const TimeRanges ranges = two_ranges();
  EXPECT_EQ(ranges.within(Time{}, seconds(9)), seconds(3));
  EXPECT_EQ(ranges.within(seconds(2), seconds(5.5)), seconds(1.5));
  EXPECT_EQ(ranges.within(seconds(3), seconds(5)), Time{});
  EXPECT_EQ(ranges.within(seconds(0), seconds(2)) + ranges.within(seconds(2), seconds(9)),
            ranges.within(seconds(0), seconds(9)));
}

TEST(TimeRanges, what_both_have_is_the_same_either_way) {
  const TimeRanges ranges = two_ranges();
  TimeRanges others;
  others.add(seconds(2), seconds(5.25));
  others.join();
  EXPECT_EQ(ranges.within_both(others, Time{}, seconds(9)), seconds(1.25));
  EXPECT_EQ(others.within_both(ranges, Time{}, seconds(9)), seconds(1.25));
  EXPECT_EQ(ranges.within_both(others, Time{}, seconds(2.5)), seconds(0.5));
  EXPECT_EQ(ranges.within_both(ranges, Time{}, seconds(9)), ranges.within(Time{}, seconds(9)));
}

}  // namespace
}  // namespace pipewright::test
