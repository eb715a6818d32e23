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

/// A job of plain PyTorch on one device.
config::Value job_of_torch(const std::string& rest) {
  return experiment(
      "model: {transformer: {layers: 8, hidden: 1024, heads: 16, vocabulary: 51200}}\n"
      "cluster: {node: dgx-a100-80g, nodes: 1, devices: 1}\n"
      "schedule: 1f1b\nframework: torch\nprecision: bf16\ngradients: bf16\n"
      "master_weights: none\nmoments: bf16\n" +
      rest);
}

// PyTorch sets gradients to None: a step of one micro-batch makes them while activations go.
TEST(RankMemory, one_micro_batch_finds_no_gradients) {
  ModelJob one(job_of_torch("batch: {global: 8, micro: 8, sequence: 512}\n"));
  ModelJob two(job_of_torch("batch: {global: 16, micro: 8, sequence: 512}\n"));
  const MemoryUse few = rank_memory(one.cut(1), 0), all = rank_memory(two.cut(1), 0);
  EXPECT_LT(few.gradients, all.gradients);
  EXPECT_EQ(all.gradients, all.weights);
  EXPECT_EQ(few.weights, all.weights);
  EXPECT_EQ(few.optimizer, all.optimizer);
  EXPECT_EQ(few.buffers, Bytes{});
}

// Where activations are small a step is the peak: weights, gradients, two moments, and the roots of
// one by foreach. Without these it is the end of the backward pass, where the embedding still has
// its mask of 1024 and its number, 8 B, for each of 16 tokens.
TEST(RankMemory, a_step_by_foreach_makes_roots_of_all_weights) {
  const std::string batch = "batch: {global: 1, micro: 1, sequence: 16}\n";
  const auto memory = [](const std::string& rest) {
    return run(job_of_torch(rest)).result.metrics.ranks.front().memory;
  };
  const MemoryUse foreach = memory(batch), fused = memory(batch + "update: fused\n");
  EXPECT_EQ(foreach.total(), foreach.weights * 5);
  EXPECT_EQ(fused.total(), fused.weights * 4 + Bytes{16 * (1024 + 8)});
}

// DDP's buckets hold them all the time.
TEST(RankMemory, replicas_keep_their_buckets) {
  ModelJob job(experiment(
      "model: {transformer: {layers: 8, hidden: 1024, heads: 16, vocabulary: 51200}}\n"
      "cluster: {node: dgx-a100-80g, nodes: 1, devices: 2}\nschedule: 1f1b\nframework: torch\n"
      "gradients: bf16\nbatch: {global: 16, micro: 8, sequence: 512}\n"));
  const MemoryUse use = rank_memory(job.cut(1), 0);
  EXPECT_EQ(use.gradients, use.weights);
}

TEST(RankMemory, weights_of_gpus_are_not_on_the_chip) {
  ModelJob job(small_gpt(two_stages));
  EXPECT_FALSE(weights_fit_on_chip(job.cut(2), 0));
}

}  // namespace
}  // namespace pipewright::test
