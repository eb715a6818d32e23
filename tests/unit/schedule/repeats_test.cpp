#include "schedule/repeats.hpp"

#include <gtest/gtest.h>

#include "built.hpp"

namespace pipewright::schedule {
namespace {

// Without repeats it is what the schedule itself is for as many micro-batches.
TEST(Repeats, a_schedule_without_some_is_the_schedule_of_fewer_micro_batches) {
  for (const char* name :
       {"gpipe", "{name: gpipe, backward_order: reversed}", "1f1b", "eager-1f1b",
        "interleaved-1f1b", "looped-bfs", "terapipe", "seq-1f1b", "zb-h1", "zb-h2", "zb-v",
        "v-half", "v-min", "dualpipe", "dualpipe-v", "chimera"}) {
    for (const int ranks : {2, 4, 6}) {
      SCOPED_TRACE(std::string(name) + " on " + std::to_string(ranks));
      const Schedule whole = built(name, ranks, 480);
      const std::optional<Repeats> repeats = Repeats::of(whole);
      ASSERT_TRUE(repeats);
      const int left_out = 300 / repeats->directions() / repeats->unit() * repeats->unit();
      const auto shorter = repeats->without(left_out);
      ASSERT_TRUE(shorter);
      EXPECT_EQ(shorter->schedule.micro_batches, 480 - left_out * repeats->directions());
      EXPECT_EQ(shorter->schedule.order, built(name, ranks, shorter->schedule.micro_batches).order);
    }
  }
}

TEST(Repeats, are_left_out_in_groups_and_of_each_direction) {
  const Schedule interleaved = built("interleaved-1f1b", 4, 64);
  EXPECT_EQ(Repeats::of(interleaved)->unit(), 4);
  const Schedule dualpipe = built("dualpipe", 4, 64);
  EXPECT_EQ(Repeats::of(dualpipe)->directions(), 2);
  const auto shorter = Repeats::of(dualpipe)->without(10);
  EXPECT_EQ(shorter->directions, (std::vector<MicroBatchRange>{{0, 22}, {22, 44}}));
}

// Rank 0 of 1F1B on four ranks: F0 F1 F2, then F3 B0, F4 B1, ..., and at the end B61 B62 B63.
TEST(Repeats, know_the_micro_batches_whose_passes_repeat_themselves) {
  const Schedule whole = built("1f1b", 4, 64);
  const auto shorter = Repeats::of(whole)->without(20);
  ASSERT_TRUE(shorter);
  const auto range = [&](Pass pass) {
    return shorter->repeating[0][Repeats::number(whole, pass, 0, 0)];
  };
  EXPECT_EQ(range(Pass::forward), (MicroBatchRange{3, 44}));
  EXPECT_EQ(range(Pass::backward), (MicroBatchRange{0, 41}));
}

TEST(Repeats, are_none_of_asynchronous_schedules_of_several_iterations_or_of_too_few) {
  EXPECT_FALSE(Repeats::of(built("pipedream", 4, 64)));
  EXPECT_FALSE(Repeats::of(
      build({.ranks = 4, .micro_batches = 64, .iterations = 2}, config::scalar("1f1b"))));
  EXPECT_FALSE(Repeats::of(built("1f1b", 4, 8)));
  const Schedule whole = built("1f1b", 4, 64);
  EXPECT_FALSE(Repeats::of(whole)->without(60));
}

}  // namespace
}  // namespace pipewright::schedule
