#include "program/part_types.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

// Four replicas in two shards: of a gradient of 9 bytes a device has 5 to sum over the copies.
TEST(PartTypes, copies_of_shards_sum_pieces) {
  const Schedule schedule =
      schedule::build({.ranks = 1, .micro_batches = 1}, config::scalar("gpipe"));
  LoweringInput input{.schedule = schedule, .grid = grid_of(1, 1, 4)};
  input.grid.meshes[0].shard = 2;
  input.sharded.stages = {{.weights = {Bytes{8}},
                           .gradients = {Bytes{9}},
                           .experts = {Bytes{}},
                           .expert_gradients = {Bytes{}},
                           .pieces = {Bytes{5}}}};
  Program program;
  TypeAdder adder(program);
  const std::vector<ShardTypes> types = add_shards(adder, input, 0);
  ASSERT_EQ(types.size(), 1u);
  ASSERT_EQ(types[0].scatters.size(), 1u);
  EXPECT_EQ(program.types[types[0].scatters[0].type].bytes, Bytes{9});
  EXPECT_EQ(program.types[types[0].sum].bytes, Bytes{5});
}

TEST(PartTypes, activations_free_memory_as_they_leave) {
  Program program;
  TypeAdder adder(program);
  const std::vector<OffloadTypes> types =
      add_offloads(adder, {.weights = {Bytes{1}, Bytes{2}}, .activations = {Bytes{4}}}, 0);
  ASSERT_EQ(types.size(), 2u);
  EXPECT_EQ(types[1].leave, none);
  EXPECT_EQ(program.types[types[1].weights].bytes, Bytes{2});
  EXPECT_EQ(program.types[types[0].leave].memory.frees, Bytes{4});
  EXPECT_EQ(program.types[types[0].come_back].memory.allocates, Bytes{4});
}

}  // namespace
}  // namespace pipewright::test
