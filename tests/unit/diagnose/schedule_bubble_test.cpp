#include "diagnose/schedule_bubble.hpp"

#include <gtest/gtest.h>

#include "jobs.hpp"

namespace pipewright::test {
namespace {

std::optional<Cause> bubble(const std::string& schedule, int ranks, int micro_batches,
                            double slow = 1) {
  const Known known(traced(schedule, ranks, micro_batches, 1, 1, [=](const TracedOperation& one) {
    if (diagnose::communicates(one.kind)) return 0.0;
    return one.stage == 0 ? slow : 1.0;
  }));
  return diagnose::schedule_bubble(known.job, 0, schedule);
}

// Of GPipe and 1F1B every rank waits (p - 1)(F + B), here of 1 s and 2 s.
TEST(ScheduleBubble, costs_what_the_closed_form_says) {
  for (const char* schedule : {"gpipe", "1f1b"})
    for (const int ranks : {2, 4})
      for (const int micro_batches : {4, 8}) {
        const std::optional<Cause> found = bubble(schedule, ranks, micro_batches);
        ASSERT_TRUE(found);
        EXPECT_NEAR(found->recovered_s, 3.0 * (ranks - 1), 1e-6) << schedule << ranks;
        EXPECT_EQ(found->kind, CauseKind::bubble);
        EXPECT_FALSE(found->share);
        EXPECT_EQ(found->who, schedule);
      }
}

// Stage 0 takes 3 times as long: the mean is (3 + 1) / 2 times the usual length.
TEST(ScheduleBubble, is_that_of_peers_that_are_alike) {
  EXPECT_NEAR(bubble("1f1b", 2, 4, 3)->recovered_s, 2 * 3.0, 1e-6);
}

TEST(ScheduleBubble, is_none_without_a_pipeline) { EXPECT_FALSE(bubble("1f1b", 1, 4)); }

}  // namespace
}  // namespace pipewright::test
