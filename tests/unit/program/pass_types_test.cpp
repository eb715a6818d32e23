#include "program/pass_types.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using schedule::Pass;

const Segment kernels_of_part_0{.kernels = {Work{}}, .part = 0};
const Segment kernels_of_part_1{.kernels = {Work{}}, .part = 1};

struct Added {
  Program program;
  std::vector<SegmentTypes> types;
};

Added add(Pass pass, const Segments& segments, const std::vector<Bytes>& moved = {}) {
  Added added;
  TypeAdder adder(added.program);
  const StageWork work{.activation = Bytes{64}, .transient = Bytes{16}};
  added.types = add_pass(adder, {pass, 0, work, segments, moved});
  return added;
}

TEST(PassTypes, a_stage_without_layers_still_has_an_op) {
  EXPECT_EQ(add(Pass::forward, {}).types.size(), 1u);
}

TEST(PassTypes, a_pass_ends_in_an_op_of_its_own_rank) {
  Segment summed = kernels_of_part_0;
  summed.collective = CollectiveWork{.bytes = Bytes{8}};
  const Added added = add(Pass::backward, {summed});
  ASSERT_EQ(added.types.size(), 2u);
  EXPECT_EQ(added.program.types[added.types[0].collective].pass, Pass::backward);
  EXPECT_EQ(added.types[1].collective, none);
  EXPECT_FALSE(added.types[0].ends_part);
  EXPECT_TRUE(added.types[1].ends_part);
}

TEST(PassTypes, a_forward_takes_memory_that_its_backward_gives_back) {
  const Added forward = add(Pass::forward, {kernels_of_part_0, kernels_of_part_1});
  EXPECT_EQ(forward.program.types[forward.types[0].compute].memory.allocates, Bytes{64});
  const Added backward = add(Pass::backward, {kernels_of_part_1, kernels_of_part_0});
  EXPECT_EQ(backward.program.types[backward.types[0].compute].memory.allocates, Bytes{16});
  EXPECT_EQ(backward.program.types[backward.types[1].compute].memory.frees, Bytes{64 + 16});
}

TEST(PassTypes, activations_that_leave_are_held_part_by_part) {
  const Added added =
      add(Pass::forward, {kernels_of_part_0, kernels_of_part_1}, {Bytes{40}, Bytes{24}});
  EXPECT_EQ(added.program.types[added.types[0].compute].memory.allocates, Bytes{40});
  EXPECT_EQ(added.program.types[added.types[1].compute].memory.allocates, Bytes{24});
}

// 64 B of activations, of which 24 and 10 leave: the other 30 stay from the forward's first kernel
// to the backward's last.
TEST(PassTypes, what_does_not_leave_is_held_from_the_forward_to_the_backward) {
  const std::vector<Bytes> moved{Bytes{24}, Bytes{10}};
  const Added forward = add(Pass::forward, {kernels_of_part_0, kernels_of_part_1}, moved);
  EXPECT_EQ(forward.program.types[forward.types[0].compute].memory.allocates, Bytes{30 + 24});
  EXPECT_EQ(forward.program.types[forward.types[1].compute].memory.allocates, Bytes{10});
  const Added backward = add(Pass::backward, {kernels_of_part_1, kernels_of_part_0}, moved);
  EXPECT_EQ(backward.program.types[backward.types[0].compute].memory.frees, Bytes{10});
  EXPECT_EQ(backward.program.types[backward.types[1].compute].memory.frees, Bytes{24 + 16 + 30});
}

}  // namespace
}  // namespace pipewright::test
