#include <gtest/gtest.h>

#include "lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronWriteParallel, degrees_and_sharding_are_said) {
  EXPECT_EQ(lines_of(megatron::write_parallel, small_experiment),
            "--tensor-model-parallel-size 2\n--pipeline-model-parallel-size 4\n"
            "--use-distributed-optimizer\n");
}

TEST(MegatronWriteParallel, stages_that_are_not_alike_are_a_layout) {
  const std::string lines =
      lines_of(megatron::write_parallel, small_experiment + "partition: [1, 2, 2, 1]\n");
  EXPECT_NE(lines.find("--pipeline-model-parallel-layout 'Et*1|t*2|t*2|t*1L'\n"),
            std::string::npos);
}

// 8 devices along the context: four groups of two that exchange heads.
TEST(MegatronWriteParallel, heads_within_rings_are_a_hierarchy) {
  std::string experiment = small_experiment;
  const std::string degrees = "parallel: {";
  experiment.insert(experiment.find(degrees) + degrees.size(), "context: {degree: 8, heads: 2}, ");
  const std::string lines = lines_of(megatron::write_parallel, experiment);
  EXPECT_NE(lines.find("--cp-comm-type a2a+p2p\n--hierarchical-context-parallel-sizes 2 4\n"),
            std::string::npos)
      << lines;
}

TEST(MegatronWriteParallel, copies_of_sharded_weights_are_instances) {
  std::string sharded = small_experiment;
  const std::string degrees = "{tensor: 2, pipeline: 4, data: 2, zero: 1}";
  for (const char* said : {"shard: 2", "replicate: 4"}) {
    std::string experiment = sharded;
    experiment.replace(experiment.find(degrees), degrees.size(),
                       std::string("{data: 8, zero: 3, ") + said + "}");
    EXPECT_NE(lines_of(megatron::write_parallel, experiment)
                  .find("--num-distributed-optimizer-instances 4\n"),
              std::string::npos)
        << said;
  }
}

// validate_args of megatron/training/arguments.py asserts it.
TEST(MegatronWriteParallel, sharded_weights_have_the_checkpoints_of_fsdp) {
  std::string sharded = small_experiment;
  const std::string degrees = "{tensor: 2, pipeline: 4, data: 2, zero: 1}";
  sharded.replace(sharded.find(degrees), degrees.size(), "{data: 8, zero: 3}");
  const std::string lines = lines_of(megatron::write_parallel, sharded);
  EXPECT_NE(lines.find("--use-megatron-fsdp\n--data-parallel-sharding-strategy optim_grads_params\n"
                       "--ckpt-format fsdp_dtensor\n"),
            std::string::npos)
      << lines;
}

}  // namespace
}  // namespace pipewright::test
