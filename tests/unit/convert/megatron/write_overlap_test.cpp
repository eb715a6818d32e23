#include <gtest/gtest.h>

#include "lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronWriteOverlap, what_goes_beside_the_computation_is_said) {
  EXPECT_EQ(lines_of(megatron::write_overlap, small_experiment + "overlap: {data: true}\n"),
            "--overlap-grad-reduce\n");
  EXPECT_EQ(lines_of(megatron::write_overlap, small_experiment + "overlap: {data: false}\n"), "");
}

}  // namespace
}  // namespace pipewright::test
