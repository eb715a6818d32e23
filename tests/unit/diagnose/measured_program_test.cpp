#include "diagnose/measured_program.hpp"

#include <gtest/gtest.h>

#include "diagnose/what_if.hpp"
#include "result/accounts/accounts.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

TEST(MeasuredProgram, run_with_its_own_lengths_it_is_the_trace) {
  for (const char* schedule : {"1f1b", "gpipe", "{name: interleaved-1f1b, virtual: 2}"}) {
    const std::vector<TracedOperation> all = traced(schedule, 3, 3, 2, 2);
    const Known known(all);
    const std::vector<Time> times = diagnose::step_times(known.trace, known.trace.lengths);
    EXPECT_NEAR(diagnose::mean_seconds(times), step_seconds(all, 2), 1e-9) << schedule;
  }
}

TEST(MeasuredProgram, a_gap_is_what_the_host_alone_holds_up) {
  const Known known({operation(forward, 0, 0, 0, 1), operation(backward, 0, 0, 1.5, 2)});
  EXPECT_EQ(known.trace.lengths[known.trace.gap[1]], milliseconds(500));
  EXPECT_EQ(known.trace.lengths[known.trace.body[1]], seconds(2));
}

TEST(MeasuredProgram, a_collective_takes_what_is_left_when_the_last_has_come) {
  const Known known(
      {operation(forward, 0, 0, 0, 1, 0), operation(grads_reduce_scatter, 0, -1, 1, 4, 0),
       operation(forward, 0, 0, 0, 3, 1), operation(grads_reduce_scatter, 0, -1, 3, 2, 1)});
  for (const size_t i : {size_t{1}, size_t{3}})
    EXPECT_EQ(known.trace.lengths[known.trace.body[i]], seconds(2));
}

TEST(MeasuredProgram, its_accounts_add_up_to_the_step) {
  const Known known(traced("1f1b", 2, 2, 1, 1));
  const Time length = diagnose::step_times(known.trace, known.trace.lengths)[0];
  const auto by_rank = accounts(known.trace.program, known.trace.measured, {Time{}, length, length},
                                diagnose::MeasuredShares());
  ASSERT_EQ(by_rank.size(), 2u);
  for (const Breakdown& one : by_rank) {
    EXPECT_EQ(one.total(), length);
    EXPECT_EQ(one.computing(), seconds(6));  // two forwards, two backwards
  }
}

}  // namespace
}  // namespace pipewright::test
