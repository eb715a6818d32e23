#include "plan/model_on_grid.hpp"

#include <gtest/gtest.h>

#include "support/model_jobs.hpp"

namespace pipewright::test {
namespace {

TEST(ModelOnGrid, one_work_for_all_where_stages_are_alike) {
  const ModelJob job(small_gpt("parallel: {tensor: 4, pipeline: 2}\nschedule: 1f1b\n"));
  EXPECT_EQ(job.grid.works.size(), 1u);
  EXPECT_EQ(&job.grid.work_on(1), &job.grid.works.front());
  EXPECT_EQ(job.grid.micro_batches, 32);
  EXPECT_EQ(job.grid.sequence(), 1024);
  EXPECT_EQ(job.grid.grid.mesh(1).data, 2);
  EXPECT_TRUE(job.grid.resharding_edges.empty());
}

TEST(ModelOnGrid, unlike_stages_have_works_of_their_own) {
  const ModelJob job(unlike_stages());
  ASSERT_EQ(job.grid.works.size(), 2u);
  EXPECT_EQ(job.grid.work_on(1).options.tensor, 4);
  EXPECT_EQ(job.grid.resharding_edges.size(), 2u);
  EXPECT_EQ(job.grid.whole_layers.size(), job.grid.layers().size());
}

}  // namespace
}  // namespace pipewright::test
