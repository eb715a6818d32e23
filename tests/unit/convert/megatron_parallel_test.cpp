#include "convert/megatron_parallel.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

/// Eight layers on four pipeline ranks.
MegatronParallel parallel_of(const std::string& text) {
  MegatronFlags flags("--num-layers 8 " + text, "run.sh");
  return megatron_parallel(flags, {.pipeline = 4, .layers = 8});
}

TEST(MegatronParallel, layers_of_a_virtual_stage_say_how_many_there_are) {
  const MegatronParallel result = parallel_of("--num-layers-per-virtual-pipeline-stage 1");
  EXPECT_EQ(result.virtual_stages, 2);
  EXPECT_EQ(result.parallel.find("virtual")->text, "2");
  EXPECT_TRUE(result.partition.empty());
}

TEST(MegatronParallel, uneven_ends_are_a_partition) {
  const MegatronParallel result = parallel_of(
      "--decoder-first-pipeline-num-layers 2 "
      "--decoder-last-pipeline-num-layers 0");
  EXPECT_EQ(result.partition, (std::vector<int>{2, 2, 2, 2}));
  EXPECT_EQ(result.virtual_stages, 1);
}

TEST(MegatronParallel, the_ends_leave_as_many_for_each_of_the_others) {
  const std::string error = error_of([] { parallel_of("--decoder-first-pipeline-num-layers 1"); });
  EXPECT_NE(error.find("leaves 7 layers for 3 other ranks"), std::string::npos) << error;
}

TEST(MegatronParallel, fully_sharded_weights_are_the_third_stage_of_zero) {
  EXPECT_EQ(parallel_of("--use-torch-fsdp2").parallel.find("zero")->text, "3");
  EXPECT_EQ(parallel_of("--use-distributed-optimizer").parallel.find("zero")->text, "1");
  EXPECT_EQ(parallel_of("").parallel.find("zero")->text, "0");
}

}  // namespace
}  // namespace pipewright::test
