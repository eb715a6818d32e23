#include "engine/op_series.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

// Two ranks; the first runs micro-batches in reverse, and two ops alike in each.
TEST(OpSeries, have_one_op_of_a_micro_batch_each) {
  ProgramBuilder builder;
  builder.program.ranks.resize(2);
  builder.program.types = {{.kind = OpKind::compute}};
  for (const int b : {1, 1, 0, 0}) builder.add({.type = 0, .rank = 0, .micro_batch = b});
  for (const int b : {0, 1}) builder.add({.type = 0, .rank = 1, .micro_batch = b});
  const OpSeries all = series_of(std::move(builder).finish());
  EXPECT_EQ(all.ops, (std::vector<OpId>{2, 0, 3, 1, 4, 5}));
  EXPECT_EQ(all.offset, (std::vector<size_t>{0, 2, 4, 6}));
}

}  // namespace
}  // namespace pipewright
