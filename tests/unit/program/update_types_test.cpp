#include "program/update_types.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

CollectiveWork sum(int64_t bytes) { return {CollectiveKind::all_reduce, Axis::data, Bytes{bytes}}; }

// Parts of 1, 2 and 4 bytes, of which the experts have 8 beside the second and nothing else.
TEST(UpdateTypes, reductions_stand_in_the_order_of_their_parts) {
  UpdateWork update{.reduce = {sum(1), sum(2), sum(4)}, .reduce_experts = {sum(0), sum(8)}};
  update.reduce_over_sides.push_back({.part = 0, .work = sum(16)});
  Program program;
  TypeAdder adder(program);
  std::vector<int64_t> bytes;
  for (const UpdateTypes& types : add_update(adder, update, 0).reduce)
    bytes.push_back(program.types[types.type].bytes.count);
  EXPECT_EQ(bytes, (std::vector<int64_t>{1, 16, 2, 8, 4}));
}

TEST(UpdateTypes, a_part_without_weights_sends_none_back) {
  UpdateWork update;
  update.on_host = {{.gradients = Bytes{4}, .weights = {}, .step = picoseconds(7)}};
  Program program;
  TypeAdder adder(program);
  const StageUpdateTypes types = add_update(adder, update, 0);
  EXPECT_EQ(types.step, none);
  ASSERT_EQ(types.on_host.size(), 1u);
  EXPECT_EQ(types.on_host[0].weights, none);
  EXPECT_TRUE(program.types[types.on_host[0].gradients].to_host);
}

}  // namespace
}  // namespace pipewright::test
