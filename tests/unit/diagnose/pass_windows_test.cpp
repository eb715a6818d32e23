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
      windows_of({slice_of(backward, 0, 6), slice_of(backward, 7, 10), slice_of(data_gather, 2, 3),
                  slice_of(data_gather, 5, 7), slice_of(data_sum, 7, 9)});
  ASSERT_EQ(windows.size(), 3u);
  expect(windows[0], 2, 2, 0);
  expect(windows[1], 3, 3, 1);
  expect(windows[2], 5, 4, 4);
}

TEST(PassWindows, a_pass_may_begin_and_end_within_collectives) {
  using enum RunSliceKind;
  const auto windows = windows_of(
      {slice_of(backward, 0, 10), slice_of(data_gather, -1, 1), slice_of(data_sum, 8, 12)});
  ASSERT_EQ(windows.size(), 2u);
  expect(windows[0], 8, 8, 1);
  expect(windows[1], 2, 2, 2);
}

// Gradients that are summed once, for the update.
TEST(PassWindows, sums_that_no_pass_waits_for_stand_apart) {
  using enum RunSliceKind;
  const auto windows = windows_of(
      {slice_of(backward, 0, 10), slice_of(data_gather, -2, 0), slice_of(data_sum, 6, 12)});
  ASSERT_EQ(windows.size(), 2u);
  expect(windows[1], 4, 4, 0);
  EXPECT_EQ(windows[1].sums, seconds(4));
}

// Beside 4 s of collectives compute takes 1 s longer.
TEST(PassWindows, what_communication_slows_is_not_its_ranks) {
  using enum RunSliceKind;
  const auto windows = windows_of({slice_of(forward, 0, 10), slice_of(data_gather, 0, 4)}, 0.25);
  ASSERT_EQ(windows.size(), 1u);
  expect(windows[0], 10, 9, 4);
}

// The keys that come beside the second piece, from 4 s to 9 s, let the third wait for 3 s.
TEST(PassWindows, context_ranks_exchange_beside_pieces) {
  using enum RunSliceKind;
  const auto windows =
      windows_of({slice_of(forward, 0, 4), slice_of(forward, 4, 6), slice_of(forward, 9, 10),
                  slice_of(context_group, 0, 3), slice_of(context_group, 4, 9)});
  ASSERT_EQ(windows.size(), 1u);
  expect(windows[0], 10, 7, 0);
  EXPECT_EQ(windows[0].exchanges, seconds(3));
  ASSERT_EQ(windows[0].pieces.size(), 2u);
  EXPECT_EQ(windows[0].pieces[0].own, seconds(4));
  EXPECT_EQ(windows[0].pieces[0].exchange, seconds(3));
  EXPECT_EQ(windows[0].pieces[1].own, seconds(2));
  EXPECT_EQ(windows[0].pieces[1].exchange, seconds(5));
}

// A piece of 4 s hides 3 s, and 1 s comes after it: at half the time 3 s and 0.5 s.
TEST(PassWindows, exchanges_that_faster_pieces_do_not_hide_are_seen) {
  const PassWindow window{seconds(5), seconds(5), {}, {}, {{seconds(4), seconds(3)}}};
  EXPECT_NEAR(window.busy_s(1, 1), 5, 1e-9);
  EXPECT_NEAR(window.busy_s(0.5, 1), 3.5, 1e-9);
}

// A piece of 2 s hides 2 s of 3 s: the faster it is, the more of it is seen.
TEST(PassWindows, what_is_seen_of_an_exchange_is_cured_by_itself) {
  const PassWindow window{seconds(3), seconds(2), {}, seconds(1), {{seconds(2), seconds(3)}}};
  EXPECT_NEAR(window.busy_s(1, 1), 3, 1e-9);
  EXPECT_NEAR(window.busy_s(0.5, 1), 3, 1e-9);
  EXPECT_NEAR(window.busy_s(1, 0.5), 2.5, 1e-9);
  EXPECT_NEAR(window.busy_s(2, 1), 4, 1e-9);
}

TEST(PassWindows, without_collectives_there_are_none) {
  using enum RunSliceKind;
  EXPECT_TRUE(windows_of({slice_of(forward, 0, 10), slice_of(tensor_group, 2, 3)}).empty());
  EXPECT_TRUE(windows_of({slice_of(forward, 0, 10), slice_of(data_sum, 10, 12)}).empty());
}

}  // namespace
}  // namespace pipewright::test
