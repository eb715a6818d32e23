#include "diagnose/last_messages.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/run_slices.hpp"

namespace pipewright::test {
namespace {

RunSlice part_of_message(uint32_t rank, int64_t start, int64_t end) {
  RunSlice message = run_slice(RunSliceKind::message, rank, 0, 0, start, end);
  message.to_rank = static_cast<int32_t>(rank) + 2;
  return message;
}

// Two tensor ranks send their parts of one message in each of two steps. In the second the other
// part is late.
TEST(LastMessages, the_part_that_comes_last_tells_when_a_message_comes) {
  RunTrace trace;
  trace.ranks = {
      {.tensor = 0}, {.tensor = 1}, {.pipeline = 1, .tensor = 0}, {.pipeline = 1, .tensor = 1}};
  trace.slices = {part_of_message(0, 10, 12), part_of_message(1, 10, 11),
                  part_of_message(0, 20, 22), part_of_message(1, 21, 29)};
  const diagnose::RunGroups groups(trace);
  const diagnose::LastMessages messages(trace, groups);
  const auto times = [&](size_t slice) {
    const RunSlice whole = messages.of(trace.slices[slice]);
    EXPECT_EQ(whole.rank, trace.slices[slice].rank);
    return std::pair(whole.start, whole.end);
  };
  for (const size_t part : {0, 1})
    EXPECT_EQ(times(part), std::pair(milliseconds(10), milliseconds(12)));
  for (const size_t part : {2, 3})
    EXPECT_EQ(times(part), std::pair(milliseconds(21), milliseconds(29)));
}

}  // namespace
}  // namespace pipewright::test
