#include "base/clock_exceeded.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(ClockExceeded, times_are_added_up_to_the_longest_and_no_further) {
  const Time almost{longest_time.ps - 1};
  EXPECT_EQ(later(almost, Time{1}), longest_time);
  EXPECT_THROW(later(almost, Time{2}), ClockExceeded);
}

}  // namespace
}  // namespace pipewright
