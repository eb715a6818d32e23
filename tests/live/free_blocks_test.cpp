#include "kernels/cuda/free_blocks.hpp"

#include <gtest/gtest.h>

namespace pipewright::kernels::cuda {
namespace {

class FreeBlocksTest : public testing::Test {
 protected:
  char memory[3];
  FreeBlocks blocks;
};

TEST_F(FreeBlocksTest, a_stream_overwrites_at_once_what_it_used_itself) {
  blocks.put(512, &memory[0], {.stream = 2, .epoch = 7});
  EXPECT_EQ(blocks.take(512, 2), &memory[0]);
  EXPECT_EQ(blocks.take(512, 2), nullptr) << "taken twice";
}

TEST_F(FreeBlocksTest, another_stream_only_once_the_last_use_has_ended) {
  blocks.put(512, &memory[0], {.stream = 2, .epoch = 7});
  EXPECT_EQ(blocks.take(512, 1), nullptr);
  blocks.ended(2, 6);
  EXPECT_EQ(blocks.take(512, 1), nullptr);
  blocks.ended(3, 9);
  EXPECT_EQ(blocks.take(512, 1), nullptr);
  blocks.ended(2, 7);
  EXPECT_EQ(blocks.take(512, 1), &memory[0]);
}

TEST_F(FreeBlocksTest, sizes_are_kept_apart) {
  blocks.put(512, &memory[0], {});
  blocks.put(1024, &memory[1], {});
  EXPECT_EQ(blocks.take(1024, 0), &memory[1]);
  EXPECT_EQ(blocks.take(2048, 0), nullptr);
  EXPECT_EQ(blocks.take(512, 0), &memory[0]);
}

// Four steps from 1024 to 2048: 1280, 1536, 1792, 2048.
TEST(RoundedSize, four_steps_a_power_of_two) {
  EXPECT_EQ(rounded_size(1), 512u);
  EXPECT_EQ(rounded_size(512), 512u);
  EXPECT_EQ(rounded_size(1025), 1280u);
  EXPECT_EQ(rounded_size(1280), 1280u);
  EXPECT_EQ(rounded_size(1793), 2048u);
  EXPECT_EQ(rounded_size(2048), 2048u);
}

}  // namespace
}  // namespace pipewright::kernels::cuda
