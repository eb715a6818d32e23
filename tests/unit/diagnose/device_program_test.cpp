#include "diagnose/device_program.hpp"

#include <gtest/gtest.h>

#include "diagnose/what_if.hpp"
#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

TorchTrace streams() {
  TorchTrace trace;
  // The second stream waits for the first kernel; the third kernel for its host.
  trace.kernel("a", 0, 100, 0, 1, 7).kernel("b", 102, 50, 5, 1, 8).kernel("c", 200, 10, 198, 1, 7);
  return trace;
}

TEST(DeviceProgram, run_with_its_own_lengths_it_is_the_trace) {
  const diagnose::DeviceProgram program = program_of(work_of(streams()));
  EXPECT_EQ(diagnose::step_times(program.trace, program.trace.lengths)[0], microseconds(210));
}

TEST(DeviceProgram, a_stream_waits_for_the_other_and_for_the_host) {
  const diagnose::DeviceProgram program = program_of(work_of(streams()));
  std::vector<Time> lengths = diagnose::without_gaps(program.trace);
  EXPECT_EQ(diagnose::step_times(program.trace, lengths)[0], microseconds(208));
  for (const OpId launch : program.launches) lengths[launch] = {};
  // Without its host the third follows the first at once: the second ends last.
  EXPECT_EQ(diagnose::step_times(program.trace, lengths)[0], microseconds(150));
}

// The host loads data for 200 us before it asks for the next step, within its mark.
TEST(DeviceProgram, a_marked_step_is_its_mark) {
  TorchTrace trace;
  trace.range("ProfilerStep#1", 0, 150).range("ProfilerStep#2", 150, 200);
  trace.kernel("a", 1, 99, 0).kernel("a", 302, 99, 300);
  const diagnose::DeviceProgram program = program_of(work_of(trace));
  EXPECT_EQ(diagnose::step_times(program.trace, program.trace.lengths)[0], microseconds(150));
  std::vector<Time> lengths = diagnose::without_gaps(program.trace);
  EXPECT_EQ(diagnose::step_times(program.trace, lengths)[0], microseconds(149));
  ASSERT_EQ(program.begins.size(), 2u);
  EXPECT_EQ(program.trace.lengths[program.begins[1]], microseconds(150));
  ASSERT_EQ(program.between.size(), 2u);
  lengths[program.between[0]] = {};
  EXPECT_EQ(diagnose::step_times(program.trace, lengths)[0], microseconds(99));
}

}  // namespace
}  // namespace pipewright::test
