#include "report/text/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

test::Simulated run(const char* schedule, int ranks, int micro_batches, test::Times times) {
  return test::run_schedule(
      schedule::build({.ranks = ranks, .micro_batches = micro_batches}, config::scalar(schedule)),
      times);
}

test::Times times(int64_t forward, int64_t backward) {
  test::Times times;
  times.forward = microseconds(forward);
  times.backward = microseconds(backward);
  times.input_gradient = microseconds(backward / 2);
  times.weight_gradient = microseconds(backward / 2);
  return times;
}

// GPipe, F 3, B 6, 2 ranks, 2 micro-batches: makespan 3 (2 + 1) + 6 (2 + 1) = 27, one column each.
TEST(AsciiTimeline, an_op_is_its_letter_its_micro_batch_and_lower_case) {
  const test::Simulated r = run("gpipe", 2, 2, times(3, 6));
  const std::vector<std::string> text = lines(ascii_timeline(r.program, r.timeline, 27 + 9));
  ASSERT_EQ(text.size(), 4u);
  EXPECT_EQ(text[0], "rank 0 |F0fF1f.........B0bbbbB1bbbb|");
  EXPECT_EQ(text[1], "rank 1 |...F0fF1fB0bbbbB1bbbb......|");
  EXPECT_EQ(text[2], "        0                     27 us");
  EXPECT_EQ(text[3], "        F forward, B backward, . idle");
}

// The same at a third of the width: F has one column, B two, so only B's number fits.
TEST(AsciiTimeline, numbers_give_way_where_there_is_no_room) {
  const test::Simulated r = run("gpipe", 2, 2, times(3, 6));
  const std::vector<std::string> text = lines(ascii_timeline(r.program, r.timeline, 9 + 9));
  EXPECT_EQ(text[0], "rank 0 |FF...B0B1|");
  EXPECT_EQ(text[1], "rank 1 |.FFB0B1..|");
}

// One rank, 200 micro-batches, F before B: the first third of the time is forward.
TEST(AsciiTimeline, columns_that_hold_many_ops_show_what_fills_them) {
  const test::Simulated r = run("gpipe", 1, 200, times(1, 2));
  const std::vector<std::string> text = lines(ascii_timeline(r.program, r.timeline, 30 + 9));
  EXPECT_EQ(text[0], "rank 0 |" + std::string(10, 'F') + std::string(20, 'B') + "|");
}

// One rank, 1F1B, 300 pairs of F 1 and B 2 on 30 columns: a third of the letters are F.
TEST(AsciiTimeline, short_ops_show_in_proportion) {
  const test::Simulated r = run("1f1b", 1, 300, times(1, 2));
  const std::string line = lines(ascii_timeline(r.program, r.timeline, 30 + 9))[0];
  EXPECT_EQ(std::count(line.begin(), line.end(), 'F'), 10);
  EXPECT_EQ(std::count(line.begin(), line.end(), 'B'), 20);
}

// F 1 and B 6, 40 times on 100 columns: B is drawn on 2.14 of them, and F has 0.36, often of a
// column that the ends of two Bs share with it. It is shown all the same: nothing is idle.
TEST(AsciiTimeline, a_short_op_between_wide_ones_is_not_idle) {
  const test::Simulated r = run("1f1b", 1, 40, times(1, 6));
  const std::string line = lines(ascii_timeline(r.program, r.timeline, 100 + 9))[0];
  EXPECT_EQ(std::count(line.begin(), line.end(), '.'), 0) << line;
}

// ZB-H1, one rank, one micro-batch: F 2, I 2, W 2.
TEST(AsciiTimeline, the_halves_of_a_backward_pass_are_told_apart) {
  const test::Simulated r = run("zb-h1", 1, 1, times(4, 8));
  const std::vector<std::string> text = lines(ascii_timeline(r.program, r.timeline, 12 + 9));
  EXPECT_EQ(text[0], "rank 0 |F0ffI0iiW0ww|");
  EXPECT_EQ(text[2], "        F forward, I input gradient, W weight gradient, . idle");
}

// Two kernels of one forward pass, 0-3 and 5-8, with a collective between them.
TEST(AsciiTimeline, a_pass_that_collectives_part_is_drawn_as_one) {
  ProgramBuilder builder;
  builder.program.ranks = {{}};
  builder.program.types = {{}};
  const LaneId lane = builder.add_lane(0, Stream::compute);
  for (int k = 0; k < 2; ++k) builder.append(lane, builder.add({.micro_batch = 7}));
  const Timeline timeline{
      .spans = {{{}, picoseconds(0), picoseconds(3)}, {{}, picoseconds(5), picoseconds(8)}}};
  const Program program = std::move(builder).finish();
  EXPECT_EQ(lines(ascii_timeline(program, timeline, 8 + 9))[0], "rank 0 |F7ffffff|");
}

// FBP-AS, one rank, 2 micro-batches, passes of 3: F0, F1 beside B0, B1.
TEST(AsciiTimeline, the_two_servers_of_a_rank_are_two_lines) {
  const test::Simulated r = run("fbp-as", 1, 2, times(3, 3));
  const std::vector<std::string> text = lines(ascii_timeline(r.program, r.timeline, 9 + 9));
  EXPECT_EQ(text[0], "rank 0 |F0fF1f...|");
  EXPECT_EQ(text[1], "       |...B0bB1b|");
}

TEST(AsciiTimeline, sixty_four_ranks_are_sixty_four_equal_lines) {
  test::Times with_hops = times(100, 200);
  with_hops.hop = microseconds(12);
  const test::Simulated r = run("1f1b", 64, 128, with_hops);
  const std::vector<std::string> text = lines(ascii_timeline(r.program, r.timeline, 120));
  ASSERT_EQ(text.size(), 66u);
  for (size_t rank = 0; rank < 64; ++rank) EXPECT_EQ(text[rank].size(), 120u);
  EXPECT_EQ(text[0].substr(0, 10), "rank 0  |F");
  EXPECT_EQ(text[63].substr(0, 10), "rank 63 |.");
  EXPECT_EQ(text[65].substr(9), "F forward, B backward, . idle");  // columns are partly idle
}

TEST(AsciiTimeline, of_more_ranks_every_nth_is_shown_and_that_is_said) {
  const test::Simulated r = run("gpipe", 10, 1, times(1, 1));
  const std::vector<std::string> text = lines(ascii_timeline(r.program, r.timeline, 80, 4));
  ASSERT_EQ(text.size(), 4u + 3u);
  EXPECT_EQ(text[3].substr(0, 6), "rank 9");
  EXPECT_NE(text.back().find("1 of every 3 of 10 ranks"), std::string::npos);
}

TEST(AsciiTimeline, a_terminal_of_no_width_still_gets_a_line) {
  const test::Simulated r = run("gpipe", 1, 1, times(1, 1));
  EXPECT_EQ(lines(ascii_timeline(r.program, r.timeline, 0))[0], "rank 0 |F0ffB0bb|");
}

TEST(AsciiTimeline, nothing_is_drawn_of_nothing) { EXPECT_EQ(ascii_timeline({}, {}, 80), ""); }

}  // namespace
}  // namespace pipewright
