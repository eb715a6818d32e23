#include <gtest/gtest.h>

#include "error_of.hpp"
#include "lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronWriteOverlap, weights_that_are_gathered_beside_a_pass_are_said) {
  const std::string weights = small_experiment + "overlap: {data: true, weights: true}\n";
  EXPECT_EQ(lines_of(megatron::write_overlap, weights),
            "--overlap-grad-reduce\n--overlap-param-gather\n");
}

// validate_args of megatron/training/arguments.py stops for each.
TEST(MegatronWriteOverlap, what_the_framework_asserts_is_a_misfit) {
  const auto error = [](const std::string& overlap) {
    return error_of([&] {
      lines_of(megatron::write_overlap, small_experiment + "overlap: " + overlap + "\n");
    });
  };
  EXPECT_NE(error("{data: false, weights: true}").find("overlap.data must be true"),
            std::string::npos);
  EXPECT_NE(error("{tensor: chunked}").find("parallel.sequence must be true"), std::string::npos);
}

TEST(MegatronWriteOverlap, what_goes_beside_the_computation_is_said) {
  EXPECT_EQ(lines_of(megatron::write_overlap, small_experiment + "overlap: {data: true}\n"),
            "--overlap-grad-reduce\n");
  EXPECT_EQ(lines_of(megatron::write_overlap, small_experiment + "overlap: {data: false}\n"), "");
}

}  // namespace
}  // namespace pipewright::test
