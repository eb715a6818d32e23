#include "diagnose/pass_windows.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using diagnose::PassWindow;

RunSlice slice_of(RunSliceKind kind, double begin, double end) {
  return {.kind = kind, .start = seconds(begin), .end = seconds(end)};
}

std::vector<PassWindow> windows_of(std::vector<RunSlice> slices, double slowed = 0) {
  const RunTrace trace{.ranks = {{}}, .slices = std::move(slices)};
  return diagnose::PassWindows(trace).of(0, Time{}, seconds(10), slowed);
}

void expect(const PassWindow& window, double length, double own, double collectives) {
  EXPECT_EQ(window.length, seconds(length));
  EXPECT_EQ(window.own, seconds(own));
  EXPECT_EQ(window.collectives, seconds(collectives));
}

// The device waits from 6 s to 7 s. What is summed from 7 s to 9 s follows on what was gathered.
TEST(PassWindows, each_begins_with_collectives_that_follow_no_others) {
  using enum RunSliceKind;
  const auto windows =
      windows_of({slice_of(forward, 0, 6), slice_of(forward, 7, 10), slice_of(data_gather, 2, 3),
                  slice_of(data_gather, 5, 7), slice_of(data_sum, 7, 9)});
  ASSERT_EQ(windows.size(), 3u);
  expect(windows[0], 2, 2, 0);
  expect(windows[1], 3, 3, 1);
  expect(windows[2], 5, 4, 4);
}

TEST(PassWindows, a_pass_may_begin_and_end_within_collectives) {
  using enum RunSliceKind;
  const auto windows = windows_of(
      {slice_of(forward, 0, 10), slice_of(data_gather, -1, 1), slice_of(data_sum, 8, 12)});
  ASSERT_EQ(windows.size(), 2u);
  expect(windows[0], 8, 8, 1);
  expect(windows[1], 2, 2, 2);
}

// Beside 4 s of collectives compute takes 1 s longer.
TEST(PassWindows, what_communication_slows_is_not_its_ranks) {
  using enum RunSliceKind;
  const auto windows = windows_of({slice_of(forward, 0, 10), slice_of(data_gather, 0, 4)}, 0.25);
  ASSERT_EQ(windows.size(), 1u);
  expect(windows[0], 10, 9, 4);
}

TEST(PassWindows, without_collectives_there_are_none) {
  using enum RunSliceKind;
  EXPECT_TRUE(windows_of({slice_of(forward, 0, 10), slice_of(tensor_group, 2, 3)}).empty());
  EXPECT_TRUE(windows_of({slice_of(forward, 0, 10), slice_of(data_sum, 10, 12)}).empty());
}

}  // namespace
}  // namespace pipewright::test
