#include <gtest/gtest.h>

#include "lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronWriteOverlap, weights_that_are_gathered_beside_a_pass_are_said) {
  const std::string weights = small_experiment + "overlap: {data: false, weights: true}\n";
  EXPECT_EQ(lines_of(megatron::write_overlap, weights), "--overlap-param-gather\n");
}

TEST(MegatronWriteOverlap, what_goes_beside_the_computation_is_said) {
  EXPECT_EQ(lines_of(megatron::write_overlap, small_experiment + "overlap: {data: true}\n"),
            "--overlap-grad-reduce\n");
  EXPECT_EQ(lines_of(megatron::write_overlap, small_experiment + "overlap: {data: false}\n"), "");
}

}  // namespace
}  // namespace pipewright::test
