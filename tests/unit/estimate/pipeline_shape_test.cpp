#include "estimate/pipeline_shape.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(PipelineShape, interleaving_wants_micro_batches_in_rounds_of_the_ranks) {
  PipelineShape shape{.pipeline = *Pipeline::of(config::scalar("interleaved-1f1b"), 2), .ranks = 4};
  shape.micro_batches = 8;
  EXPECT_EQ(shape.misfit(), "");
  shape.micro_batches = 6;
  EXPECT_NE(shape.misfit(), "");
}

}  // namespace
}  // namespace pipewright
