#include "diagnose/device_steps.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

diagnose::DeviceOp op(int mark, int64_t start, int64_t end) {
  return {.stream = 7, .step = mark, .start = microseconds(start), .end = microseconds(end)};
}

TEST(DeviceSteps, marks_in_which_nothing_ran_are_no_steps) {
  diagnose::DeviceWork work;
  work.ops = {op(0, 0, 10), op(2, 100, 110)};
  diagnose::find_steps({{microseconds(0), microseconds(20), 5},
                        {microseconds(30), microseconds(40), 6},
                        {microseconds(90), microseconds(120), 7}},
                       work);
  ASSERT_EQ(work.steps.size(), 2u);
  EXPECT_EQ(work.steps[0].number, 5);
  EXPECT_EQ(work.steps[1].number, 7);
  EXPECT_EQ(work.ops[1].step, 1);
}

// Ten kernels in each of three steps, eight of them in the last.
TEST(DeviceSteps, a_step_of_which_a_tenth_is_missing_is_left_out) {
  diagnose::DeviceWork work;
  for (int mark = 0; mark < 3; ++mark)
    for (int kernel = 0; kernel < (mark == 2 ? 8 : 10); ++kernel)
      work.ops.push_back(op(mark, 100 * mark + 10 * kernel, 100 * mark + 10 * kernel + 10));
  std::vector<diagnose::StepMark> marks;
  for (int mark = 0; mark < 3; ++mark)
    marks.push_back({microseconds(100 * mark), microseconds(100 * mark + 100), mark});
  diagnose::find_steps(marks, work);
  EXPECT_EQ(work.cut_off, 1);
  EXPECT_EQ(work.steps.size(), 2u);
  EXPECT_EQ(work.ops.size(), 20u);
}

/// A first step of `first_us`, and four of 100 us.
diagnose::DeviceWork work_with_first(int64_t first_us) {
  diagnose::DeviceWork work;
  std::vector<diagnose::StepMark> marks;
  int64_t begin = 0;
  for (int mark = 0; mark < 5; ++mark) {
    const int64_t end = begin + (mark == 0 ? first_us : 100);
    work.ops.push_back(op(mark, begin, end));
    marks.push_back({microseconds(begin), microseconds(end), mark});
    begin = end;
  }
  work.has_launches = true;
  diagnose::find_steps(marks, work);
  return work;
}

TEST(DeviceSteps, a_first_step_longer_than_two_others_is_left_out) {
  const diagnose::DeviceWork even = work_with_first(200);
  EXPECT_EQ(even.steps.size(), 5u);
  EXPECT_EQ(even.warm_up, Time{});
  const diagnose::DeviceWork warm = work_with_first(201);
  ASSERT_EQ(warm.steps.size(), 4u);
  EXPECT_EQ(warm.warm_up, microseconds(201));
  EXPECT_EQ(warm.steps[0].number, 1);
  ASSERT_EQ(warm.ops.size(), 4u);
  EXPECT_EQ(warm.ops[0].step, 0);
  EXPECT_EQ(warm.ops[0].start, microseconds(201));
}

}  // namespace
}  // namespace pipewright::test
