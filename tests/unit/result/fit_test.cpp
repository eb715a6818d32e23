#include "result/fit.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

RankResult rank(Bytes held, std::optional<Bytes> capacity) {
  RankResult rank{.capacity = capacity};
  rank.memory.activations = held;
  return rank;
}

TEST(Fit, is_that_of_the_rank_with_the_least_head_room) {
  RunResult result;
  result.metrics.ranks = {rank(60 * GiB, 80 * GiB), rank(15 * GiB, 16 * GiB)};
  add_fit(result);
  EXPECT_TRUE(result.fit.feasible);
  EXPECT_EQ(result.fit.device_memory, 16 * GiB);
  EXPECT_EQ(result.fit.fullest, 15 * GiB);
}

TEST(Fit, no_rank_may_be_beyond_its_own_capacity) {
  RunResult result;
  result.metrics.ranks = {rank(60 * GiB, 80 * GiB), rank(17 * GiB, 16 * GiB)};
  add_fit(result);
  EXPECT_FALSE(result.fit.feasible);
  EXPECT_EQ(result.fit.device_memory, 16 * GiB);
}

TEST(Fit, an_allocator_holds_what_it_may_reclaim_as_far_as_there_is_room) {
  const auto buffers = [](Bytes held, std::optional<Bytes> capacity) {
    RunResult result;
    result.metrics.ranks = {rank(held, capacity)};
    result.metrics.ranks[0].memory.reclaimable = 30 * GiB;
    add_fit(result);
    EXPECT_EQ(result.fit.feasible, !capacity || held <= *capacity);
    return result.metrics.ranks[0].memory.buffers;
  };
  EXPECT_EQ(buffers(10 * GiB, 80 * GiB), 30 * GiB);
  EXPECT_EQ(buffers(60 * GiB, 80 * GiB), 20 * GiB);
  EXPECT_EQ(buffers(81 * GiB, 80 * GiB), Bytes{});
  EXPECT_EQ(buffers(10 * GiB, std::nullopt), 30 * GiB);
}

TEST(Fit, what_has_no_end_has_room) {
  RunResult result;
  result.metrics.ranks = {rank(60 * GiB, std::nullopt)};
  add_fit(result);
  EXPECT_TRUE(result.fit.feasible);
  EXPECT_FALSE(result.fit.device_memory);
  EXPECT_FALSE(memory_share(result.metrics.ranks[0]));
}

}  // namespace
}  // namespace pipewright
