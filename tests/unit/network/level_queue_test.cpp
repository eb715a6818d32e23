#include "network/level_queue.hpp"

#include <gtest/gtest.h>

#include <random>

namespace pipewright::network {
namespace {

TEST(LevelQueue, what_was_put_in_comes_out_once) {
  LevelQueue queue;
  EXPECT_TRUE(queue.empty());
  queue.push(7, 3.0);
  queue.push(7, 5.0);
  EXPECT_EQ(queue.pop(), 7U);
  EXPECT_TRUE(queue.empty());
  queue.push(7, 5.0);
  EXPECT_EQ(queue.pop(), 7U);
  EXPECT_TRUE(queue.empty());
}

TEST(LevelQueue, the_largest_level_has_a_place_and_all_below_one_share_theirs) {
  LevelQueue queue;
  queue.push(0, 0x1p127);
  queue.push(1, 1.5);
  queue.push(2, -4.0);
  EXPECT_EQ(queue.pop(), 2U);
  EXPECT_EQ(queue.pop(), 1U);
  EXPECT_EQ(queue.pop(), 0U);
}

TEST(LevelQueue, no_level_comes_before_one_that_is_a_1024th_lower) {
  std::mt19937_64 random(5);
  LevelQueue queue;
  std::vector<double> levels;
  for (uint32_t layer = 0; layer < 2000; ++layer) {
    levels.push_back(std::ldexp(1 + 0x1p-20 * static_cast<double>(random() % (1 << 20)),
                                static_cast<int>(random() % 127)));
    queue.push(layer, levels.back());
  }
  double highest = 0;
  for (size_t count = 0; count < levels.size(); ++count) {
    const double level = levels[queue.pop()];
    EXPECT_GT(level * (1 + 1.0 / 1024), highest);
    highest = std::max(highest, level);
  }
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace pipewright::network
