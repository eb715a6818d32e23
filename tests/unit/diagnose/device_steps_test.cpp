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

}  // namespace
}  // namespace pipewright::test
