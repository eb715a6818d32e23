#include "diagnose/communicating_times.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

diagnose::DeviceOp collective(int64_t start_us, int64_t end_us) {
  return {.start = microseconds(start_us), .end = microseconds(end_us), .communicates = true};
}

TEST(CommunicatingTimes, what_is_still_is_neither_communication_nor_copies) {
  diagnose::Moving moving;
  for (const auto& [start, end] : {std::pair(50, 60), std::pair(10, 20), std::pair(15, 30)})
    moving.add(collective(start, end));
  moving.sort();
  EXPECT_EQ(moving.still(microseconds(0), microseconds(100)), microseconds(70));
  EXPECT_EQ(moving.still(microseconds(12), microseconds(28)), Time{});
}

TEST(CommunicatingTimes, what_starts_when_a_collective_ends_waited_for_it) {
  diagnose::CollectiveTimes data(Traffic::data);
  data.add(collective(10, 100));
  diagnose::DeviceOp exchange = collective(60, 200);
  exchange.traffic = Traffic::expert;
  data.add(exchange);
  data.sort();
  EXPECT_TRUE(data.hold_up(microseconds(50), microseconds(105)));
  EXPECT_FALSE(data.hold_up(microseconds(50), microseconds(200)));  // long after it
  EXPECT_FALSE(data.hold_up(microseconds(50), microseconds(90)));   // before its end
  EXPECT_FALSE(data.hold_up(microseconds(102), microseconds(105)));
  EXPECT_TRUE(data.run_between(microseconds(90), microseconds(200)));
  EXPECT_FALSE(data.run_between(microseconds(100), microseconds(200)));
}

}  // namespace
}  // namespace pipewright::test
