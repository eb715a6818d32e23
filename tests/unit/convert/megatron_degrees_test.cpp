#include "convert/megatron_degrees.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

MegatronDegrees degrees_of(const std::string& text, std::vector<std::string>& assumed) {
  MegatronFlags flags("--num-layers 8 " + text, "run.sh");
  return megatron_degrees(flags, assumed);
}

TEST(MegatronDegrees, data_parallelism_is_what_the_devices_leave) {
  std::vector<std::string> assumed;
  const MegatronDegrees degrees =
      degrees_of("--nnodes 4 --tensor-model-parallel-size 2 --context-parallel-size 2", assumed);
  EXPECT_EQ(degrees.world, 32);
  EXPECT_EQ(degrees.data, 8);
  EXPECT_TRUE(assumed.empty());
}

TEST(MegatronDegrees, without_a_number_of_nodes_there_are_as_few_as_hold_the_model) {
  std::vector<std::string> assumed;
  EXPECT_EQ(degrees_of("--pipeline-model-parallel-size 4", assumed).data, 2);
  EXPECT_EQ(assumed.size(), 1u);
}

TEST(MegatronDegrees, devices_are_divided_by_the_model) {
  std::vector<std::string> assumed;
  const std::string error =
      error_of([&] { degrees_of("--nnodes 1 --pipeline-model-parallel-size 3", assumed); });
  EXPECT_NE(error.find("which do not divide the 8 there are"), std::string::npos) << error;
}

}  // namespace
}  // namespace pipewright::test
