#include "diagnose/step_groups.hpp"

#include <gtest/gtest.h>

#include "diagnose/step_graph.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

TEST(StepGroups, collectives_join_the_ranks_that_take_part) {
  const diagnose::MeasuredJob job = diagnose::measured_job(
      {operation(forward, 0, 0, 0, 1, 0), operation(clip, 0, -1, 1, 1, 0),
       operation(params_all_gather, 0, -1, -1, 1, 0), operation(forward, 1, 0, 0, 1, 0),
       operation(clip, 1, -1, 1, 1, 0), operation(params_all_gather, 1, -1, -1, 1, 0),
       operation(forward, 0, 0, 0, 1, 1), operation(clip, 0, -1, 1, 1, 1),
       operation(params_all_gather, 0, -1, -1, 1, 1), operation(forward, 1, 0, 0, 1, 1),
       operation(clip, 1, -1, 1, 1, 1), operation(params_all_gather, 1, -1, -1, 1, 1)},
      "t");
  const diagnose::StepGraph graph = diagnose::graph_of(job, 0);
  EXPECT_EQ(graph.groups, 3u);  // the norm of all, the weights of each stage
}

}  // namespace
}  // namespace pipewright::test
