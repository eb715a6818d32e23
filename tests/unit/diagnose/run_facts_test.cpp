#include "diagnose/run_facts.hpp"

#include <gtest/gtest.h>

#include "diagnose/run_operations.hpp"
#include "unit/diagnose/run_slices.hpp"

namespace pipewright::test {
namespace {

using Kind = RunSliceKind;

TEST(RunFacts, ranks_that_others_send_to_are_missed) {
  RunSlice sent = run_slice(Kind::message, 0, 0, 0, 1, 2);
  sent.to_rank = 7;
  const diagnose::JobTrace job =
      diagnose::job_of({.ranks = {{}},
                        .slices = {run_slice(Kind::forward, 0, 0, 0, 0, 1),
                                   run_slice(Kind::backward, 0, 0, 0, 2, 3), sent}});
  EXPECT_TRUE(job.lacks);
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_NE(job.notes[0].find("lacks rank 7"), std::string::npos);
}

TEST(RunFacts, one_replica_stands_for_those_that_are_like_it) {
  RunSlice sum = run_slice(Kind::data_sum, 0, 0, 0, 2, 3), other = sum;
  sum.devices = other.devices = 8;
  other.rank = 1;
  const diagnose::JobTrace job = diagnose::job_of(
      {.ranks = {{.data = 0}, {.data = 2}},
       .slices = {run_slice(Kind::forward, 0, 0, 0, 0, 1), run_slice(Kind::backward, 0, 0, 0, 1, 2),
                  sum, run_slice(Kind::forward, 1, 0, 0, 0, 1),
                  run_slice(Kind::backward, 1, 0, 0, 1, 2), other}});
  EXPECT_TRUE(job.folds);
  ASSERT_FALSE(job.notes.empty());
  EXPECT_EQ(job.notes.front(),
            "2 of 8 replicas are in this trace: one stands for others that are like it");
}

}  // namespace
}  // namespace pipewright::test
