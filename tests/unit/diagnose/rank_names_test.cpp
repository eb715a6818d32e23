#include "diagnose/rank_names.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(RankNames, ranks_that_follow_one_another_are_a_range) {
  const diagnose::MeasuredJob job;
  EXPECT_EQ(diagnose::ranks_name(job, {{1, 2}}), "data rank 1, stage 2");
  EXPECT_EQ(diagnose::ranks_name(job, {{9, 0}, {3, 0}, {8, 0}}), "data ranks 3 and 8-9, stage 0");
  EXPECT_EQ(diagnose::ranks_name(job, {{1, 0}, {1, 1}}), "data rank 1, stages 0-1");
}

TEST(RankNames, the_order_of_ranks_changes_nothing) {
  const diagnose::MeasuredJob job;
  EXPECT_EQ(diagnose::ranks_name(job, {{1, 2}, {0, 3}}),
            diagnose::ranks_name(job, {{0, 3}, {1, 2}}));
}

TEST(RankNames, replicas_that_are_alike_are_counted) {
  diagnose::MeasuredJob job;
  job.facts[{8, 0}] = {.device = 16, .replicas = 8};
  EXPECT_EQ(diagnose::ranks_name(job, {{8, 0}}), "data rank 8, stage 0, and 7 like it");
  EXPECT_EQ(diagnose::devices_of(job, {{8, 0}, {9, 0}}, false), std::vector{16});
}

TEST(RankNames, a_tensor_group_has_several_devices) {
  diagnose::MeasuredJob job;
  job.facts[{0, 1}] = {.device = 5, .group = {6, 5, 4}};
  job.facts[{1, 1}] = {.device = 8};
  EXPECT_EQ(diagnose::devices_of(job, {{1, 1}, {0, 1}}, true), (std::vector{4, 5, 6, 8}));
  EXPECT_EQ(diagnose::devices_of(job, {{1, 1}, {0, 1}}, false), (std::vector{5, 8}));
}

}  // namespace
}  // namespace pipewright::test
