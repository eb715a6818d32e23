#include "network/earliest.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace pipewright::network {
namespace {

TEST(Earliest, nothing_is_due_before_anything_is_set) {
  EXPECT_EQ(Earliest().time(), longest_time);
}

TEST(Earliest, an_index_far_beyond_the_others_makes_room_and_keeps_them) {
  Earliest earliest;
  earliest.set(0, Time{5});
  earliest.set(1000, Time{7});
  EXPECT_EQ(earliest.time(), Time{5});
  EXPECT_EQ(earliest.index(), 0u);
}

TEST(Earliest, the_first_of_times_that_change_at_random) {
  Earliest earliest;
  std::map<uint32_t, Time> all;
  std::mt19937 random(3);
  for (int change = 0; change < 5000; ++change) {
    const uint32_t index = random() % 100;
    const Time time = random() % 4 == 0 ? longest_time : Time{static_cast<int64_t>(random() % 50)};
    earliest.set(index, time);
    all[index] = time;
    Time least = longest_time;
    for (const auto& [i, t] : all) least = std::min(least, t);
    ASSERT_EQ(earliest.time(), least);
    if (least < longest_time) {
      ASSERT_EQ(all[earliest.index()], least);
    }
  }
}

}  // namespace
}  // namespace pipewright::network
