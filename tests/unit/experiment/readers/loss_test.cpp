#include <gtest/gtest.h>

#include "error_of.hpp"
#include "experiment/readers.hpp"

namespace pipewright::test {
namespace {

LossOptions read(const char* text) { return read_loss(config::parse(text, "x.yaml")); }

TEST(ReadLoss, reads_every_word_and_a_number_of_chunks) {
  EXPECT_EQ(read("fp32").kernel, LossKernel::fp32);
  EXPECT_EQ(read("fused").kernel, LossKernel::fused);
  EXPECT_EQ(read("steps").kernel, LossKernel::steps);
  EXPECT_EQ(read("chunked").kernel, LossKernel::chunked);
  EXPECT_EQ(read("chunked").chunks, 0);
  EXPECT_EQ(read("{chunks: 8}").kernel, LossKernel::chunked);
  EXPECT_EQ(read("{chunks: 8}").chunks, 8);
}

TEST(ReadLoss, mistakes_say_what_would_be_right) {
  EXPECT_EQ(
      error_of([] { read("step"); }),
      "x.yaml:1:1: error: 'step' must be one of fp32, fused, steps, chunked, torch; did you mean "
      "'steps'?");
  EXPECT_EQ(error_of([] { read("{chunks: 0}"); }),
            "x.yaml:1:10: error: '0' must be a whole number from 1 to 1048576");
}

}  // namespace
}  // namespace pipewright::test
