#include "report/page/span_names.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(SpanNames, passes_that_differ_in_their_micro_batch_have_one_pattern) {
  EXPECT_EQ(name_pattern("0F12", 12), "0F{0}");
  EXPECT_EQ(name_pattern("0F7", 7), name_pattern("0F12", 12));
  EXPECT_EQ(name_pattern("send 15B16383 to rank 14", 16383), "send 15B{0} to rank 14");
}

TEST(SpanNames, a_pair_keeps_how_far_its_micro_batches_are_apart) {
  EXPECT_EQ(name_pattern("1F12+0B9", 12), "1F{0}+0B{-3}");
  EXPECT_EQ(name_pattern("1F3+0B5", 3), "1F{0}+0B{2}");
}

TEST(SpanNames, other_numbers_stay) {
  EXPECT_EQ(name_pattern("step", 0), "step");
  EXPECT_EQ(name_pattern("all_reduce", 3), "all_reduce");
  EXPECT_EQ(name_pattern("0F3.1", 3), "0F{0}.1");
}

}  // namespace
}  // namespace pipewright
