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

}  // namespace
}  // namespace pipewright::test
