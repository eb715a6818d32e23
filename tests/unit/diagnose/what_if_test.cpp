#include "diagnose/what_if.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

TEST(WhatIf, compute_takes_the_mean_of_its_peers_and_communication_the_median) {
  const Known known({operation(forward, 0, 0, 0, 1), operation(forward, 0, 1, 1, 3),
                     operation(layernorm_grads_all_reduce, 0, -1, 4, 1),
                     operation(layernorm_grads_all_reduce, 0, -1, 5, 1),
                     operation(layernorm_grads_all_reduce, 0, -1, 6, 10)});
  const std::vector<Time> ideal = diagnose::ideal_lengths(known.trace);
  EXPECT_EQ(ideal[known.trace.body[0]], seconds(2));
  EXPECT_EQ(ideal[known.trace.body[1]], seconds(2));
  EXPECT_EQ(ideal[known.trace.body[4]], seconds(1));
  EXPECT_EQ(diagnose::step_times(known.trace, ideal)[0], seconds(7));
}

TEST(WhatIf, no_gaps_means_that_hosts_are_never_late) {
  const Known known({operation(forward, 0, 0, 0, 1), operation(forward, 0, 1, 5, 3)});
  EXPECT_EQ(diagnose::step_times(known.trace, known.trace.lengths)[0], seconds(8));
  EXPECT_EQ(diagnose::step_times(known.trace, diagnose::without_gaps(known.trace))[0], seconds(4));
}

TEST(WhatIf, middles_and_means) {
  const std::vector<Time> times = {seconds(1), seconds(2), seconds(6), seconds(3)};
  EXPECT_DOUBLE_EQ(diagnose::mean_seconds(times), 3);
  EXPECT_DOUBLE_EQ(diagnose::median_seconds(times), 2.5);
}

}  // namespace
}  // namespace pipewright::test
