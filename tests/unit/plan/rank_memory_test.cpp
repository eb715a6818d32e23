#include "plan/rank_memory.hpp"

#include <gtest/gtest.h>

#include "support/model_jobs.hpp"

namespace pipewright::test {
namespace {

TEST(RankMemory, a_rank_holds_all_its_stages) {
  ModelJob job(small_gpt(two_stages));
  const MemoryUse in_two = rank_memory(job.cut(2), 0), in_four = rank_memory(job.cut(4), 0);
  EXPECT_GT(in_two.weights, Bytes{});
  EXPECT_EQ(in_two.weights, in_four.weights);  // the embedding and four blocks, either way
}

TEST(RankMemory, versions_beside_the_first_are_counted_apart) {
  ModelJob job(small_gpt(two_stages));
  StagedModel model = job.cut(2);
  EXPECT_EQ(rank_memory(model, 1).weight_versions, Bytes{});
  model.weight_versions = {2, 3};
  const MemoryUse use = rank_memory(model, 1);
  EXPECT_EQ(use.weight_versions, use.weights * 2);
}

TEST(RankMemory, weights_of_gpus_are_not_on_the_chip) {
  ModelJob job(small_gpt(two_stages));
  EXPECT_FALSE(weights_fit_on_chip(job.cut(2), 0));
}

}  // namespace
}  // namespace pipewright::test
