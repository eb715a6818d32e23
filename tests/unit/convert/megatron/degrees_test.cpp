#include "convert/megatron/degrees.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronDegrees, data_parallelism_is_what_the_devices_leave) {
  FlagsOf given("--tensor-model-parallel-size 2 --context-parallel-size 2");
  const megatron::Degrees degrees =
      megatron::read_degrees(*given.flags, {.nodes = 4, .per_node = 8});
  EXPECT_EQ(degrees.world, 32);
  EXPECT_EQ(degrees.data, 8);
  EXPECT_TRUE(given.import.assumed.empty());
}

TEST(MegatronDegrees, without_a_number_of_nodes_there_are_as_few_as_hold_the_model) {
  FlagsOf given("--pipeline-model-parallel-size 4");
  EXPECT_EQ(megatron::read_degrees(*given.flags, {}).data, 2);
  EXPECT_EQ(given.import.assumed.size(), 1u);
}

// core/parallel_state.py: the devices are whole copies of the dense layers, TP x PP x CP, and of
// the experts, ETP x EP x PP.
TEST(MegatronDegrees, as_few_devices_as_there_can_be_hold_whole_groups_of_experts) {
  const auto world = [](const std::string& arguments) {
    FlagsOf given(arguments);
    return megatron::read_degrees(*given.flags, {}).world;
  };
  EXPECT_EQ(world("--tensor-model-parallel-size 4 --pipeline-model-parallel-size 8 "
                  "--expert-model-parallel-size 8 --expert-tensor-parallel-size 1"),
            64);  // lcm(32, 64)
  EXPECT_EQ(world("--tensor-model-parallel-size 8 --pipeline-model-parallel-size 16 "
                  "--expert-model-parallel-size 4"),
            512);                                            // lcm(128, 512)
  EXPECT_EQ(world("--pipeline-model-parallel-size 3"), 24);  // in whole nodes
}

TEST(MegatronDegrees, python_alone_starts_one_process) {
  FlagsOf given("--num-layers 4");
  EXPECT_EQ(megatron::read_degrees(*given.flags, {.one_process = true}).world, 1);
  FlagsOf cut("--tensor-model-parallel-size 2");
  EXPECT_EQ(megatron::read_degrees(*cut.flags, {.one_process = true}).world, 8);
}

TEST(MegatronDegrees, tensor_parallelism_had_another_name_in_2019) {
  FlagsOf given("--model-parallel-size 4");
  EXPECT_EQ(megatron::read_degrees(*given.flags, {.nodes = 1, .per_node = 8}).tensor, 4);
}

TEST(MegatronDegrees, devices_are_divided_by_the_model) {
  FlagsOf given("--pipeline-model-parallel-size 3");
  const std::string error =
      error_of([&] { megatron::read_degrees(*given.flags, {.nodes = 1, .per_node = 8}); });
  EXPECT_NE(error.find("does not divide the 8 devices there are"), std::string::npos) << error;
}

// Nodes of 8: the least number of them that holds 3 x 8 devices is 3.
TEST(MegatronDegrees, the_variable_of_the_nodes_is_named) {
  FlagsOf given("--pipeline-model-parallel-size 3");
  const std::string error = error_of([&] {
    megatron::read_degrees(*given.flags,
                           {.nodes = 1, .per_node = 8, .nodes_variable = "NUM_NODES"});
  });
  EXPECT_NE(error.find("; --define NUM_NODES=3 makes them 24"), std::string::npos) << error;
}

TEST(MegatronDegrees, devices_hold_whole_groups_of_experts) {
  FlagsOf given("--pipeline-model-parallel-size 4 --expert-model-parallel-size 8");
  EXPECT_EQ(megatron::read_degrees(*given.flags, {.nodes = 4, .per_node = 8}).data, 8);
  const auto error = [&](const job::Devices& devices) {
    return error_of([&] { megatron::read_degrees(*given.flags, devices); });
  };
  EXPECT_EQ(
      error({.nodes = 2, .per_node = 8}),
      "run.sh:1:79: error: expert 8 x expert tensor 1 x pipeline 4 takes 32 devices, which does "
      "not divide the 16 devices there are; --define NGPU=32 says otherwise");
  EXPECT_EQ(error({.all = 16}),
            "run.sh:1:79: error: expert 8 x expert tensor 1 x pipeline 4 takes 32 devices, which "
            "does not divide the 16 devices there are");
  EXPECT_NE(error({.per_node = 8}).find("--define NGPU=N says how many devices"),
            std::string::npos);
}

// num_microbatches_calculator.py: the global batch is a multiple of micro-batch x replicas.
TEST(MegatronDegrees, a_small_batch_is_of_few_devices) {
  const auto world = [](const std::string& arguments) {
    FlagsOf given(arguments);
    return megatron::read_degrees(*given.flags, {}).world;
  };
  EXPECT_EQ(world("--global-batch-size 2 --micro-batch-size 1"), 2);
  EXPECT_EQ(world("--global-batch-size 4 --micro-batch-size 2 --tensor-model-parallel-size 2"), 4);
  EXPECT_EQ(world("--global-batch-size 64 --micro-batch-size 2"), 8);
}

}  // namespace
}  // namespace pipewright::test
