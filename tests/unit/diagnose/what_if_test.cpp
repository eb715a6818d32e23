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

// Eleven steps that gain 0, 1, ..., 10 s: a tenth of them up to 1 s, nine tenths up to 9 s.
TEST(WhatIf, gains_of_single_steps_have_a_spread) {
  std::vector<Time> before, after;
  for (int step = 0; step < 11; ++step) {
    before.push_back(seconds(20 + (step * 7) % 11));
    after.push_back(seconds(20));
  }
  const auto found = diagnose::spread_of_gain(before, after);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->first, 1);
  EXPECT_DOUBLE_EQ(found->second, 9);
}

TEST(WhatIf, of_four_steps_nobody_knows_the_spread) {
  EXPECT_FALSE(diagnose::spread_of_gain(std::vector<Time>(4), std::vector<Time>(4)));
}

}  // namespace
}  // namespace pipewright::test
