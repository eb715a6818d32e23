#include "plan/replica_blocks.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

// Three blocks of four, of which replica 6 is unlike the others: the block in the middle and the
// position in its middle are by themselves, which makes two kinds of either.
TEST(ReplicaBlocks, one_that_is_unlike_tells_its_block_and_its_position_apart) {
  std::vector<size_t> colours(12, 0);
  colours[6] = 1;
  const std::vector<ReplicaClass> classes = classes_of_blocks(colours, 4);
  ASSERT_EQ(classes.size(), 4u);
  EXPECT_EQ(classes[0].members, (std::vector<int>{0, 1, 3, 8, 9, 11}));
  EXPECT_EQ(classes[1].members, (std::vector<int>{2, 10}));
  EXPECT_EQ(classes[2].members, (std::vector<int>{4, 5, 7}));
  EXPECT_EQ(classes[3].members, (std::vector<int>{6}));
  for (const ReplicaClass& one : classes) {
    EXPECT_EQ(one.replica, one.members.front());
    EXPECT_EQ(one.count, static_cast<int>(one.members.size()));
  }
}

TEST(ReplicaBlocks, blocks_with_the_same_pattern_are_alike) {
  EXPECT_EQ(classes_of_blocks({1, 0, 0, 1, 0, 0}, 3).size(), 2u);
  EXPECT_EQ(classes_of_blocks({1, 0, 0, 0, 0, 1}, 3).size(), 6u);
}

TEST(ReplicaBlocks, are_those_of_experts_or_of_shards) {
  Mesh mesh;
  mesh.tensor = 2;
  mesh.expert = 8;
  mesh.data = 16;
  EXPECT_EQ(replicas_in_block(mesh), 4);
  mesh.shard = 4;
  EXPECT_EQ(replicas_in_block(mesh), 4);
  mesh.shard = 2;
  EXPECT_EQ(replicas_in_block(mesh), 0);
  mesh.expert = 1;
  EXPECT_EQ(replicas_in_block(mesh), 2);
  mesh.context = 2;
  EXPECT_EQ(replicas_in_block(mesh), 0);
}

}  // namespace
}  // namespace pipewright
