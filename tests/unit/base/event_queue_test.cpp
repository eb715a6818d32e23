#include "base/event_queue.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace pipewright {
namespace {

using Ids = std::vector<uint32_t>;

TEST(EventQueue, gives_the_earliest_time_first_and_ids_in_order) {
  EventQueue queue;
  queue.push({7}, 3);
  queue.push({5}, 9);
  queue.push({7}, 1);
  Ids ids;
  EXPECT_EQ(queue.take(ids), Time{5});
  EXPECT_EQ(ids, Ids{9});
  EXPECT_EQ(queue.take(ids), Time{7});
  EXPECT_EQ(ids, (Ids{1, 3}));
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, says_what_is_next_without_taking_it) {
  EventQueue queue;
  EXPECT_EQ(queue.next(), longest_time);
  queue.push({7}, 3);
  queue.push({5}, 9);
  EXPECT_EQ(queue.next(), Time{5});
  Ids ids;
  queue.take(ids);
  EXPECT_EQ(queue.next(), Time{7});
  queue.push({6}, 1);  // earlier than the earliest so far
  EXPECT_EQ(queue.next(), Time{6});
  queue.take(ids);
  queue.push({6}, 2);
  EXPECT_EQ(queue.next(), Time{6});
}

TEST(EventQueue, events_pushed_at_the_present_come_before_the_future) {
  EventQueue queue;
  queue.push({4}, 1);
  queue.push({6}, 2);
  Ids ids;
  queue.take(ids);
  EXPECT_FALSE(queue.more_now());
  queue.push({4}, 3);
  EXPECT_TRUE(queue.more_now());
  EXPECT_EQ(queue.take(ids), Time{4});
  EXPECT_EQ(ids, Ids{3});
}

TEST(EventQueue, reaches_the_end_of_the_clock) {
  EventQueue queue;
  queue.push(longest_time, 1);
  queue.push({0}, 2);
  Ids ids;
  EXPECT_EQ(queue.take(ids), Time{0});
  EXPECT_EQ(queue.take(ids), longest_time);
  queue.push(longest_time, 5);
  EXPECT_EQ(queue.take(ids), longest_time);
  EXPECT_EQ(ids, Ids{5});
}

// Against an ordered set, over times that lie close together and far apart.
TEST(EventQueue, agrees_with_an_ordered_set) {
  std::mt19937_64 random(3);
  EventQueue queue;
  std::set<std::pair<int64_t, uint32_t>> expected;
  int64_t now = 0;
  uint32_t next_id = 0;
  Ids ids;
  for (int round = 0; round < 20000; ++round) {
    for (uint64_t pushes = random() % 4; pushes > 0; --pushes) {
      const int64_t time = now + static_cast<int64_t>(random() >> (24 + random() % 40));
      queue.push({time}, next_id);
      expected.insert({time, next_id++});
    }
    ASSERT_EQ(queue.empty(), expected.empty());
    if (expected.empty()) continue;
    now = expected.begin()->first;
    ASSERT_EQ(queue.take(ids), Time{now});
    for (const uint32_t id : ids) {
      ASSERT_EQ(*expected.begin(), std::pair(now, id));
      expected.erase(expected.begin());
    }
    ASSERT_TRUE(expected.empty() || expected.begin()->first > now);
  }
}

}  // namespace
}  // namespace pipewright
