#include "diagnose/recognise_schedule.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

TEST(RecogniseSchedule, every_order_is_told) {
  for (const char* name : {"1f1b", "gpipe", "{name: interleaved-1f1b, virtual: 2}"}) {
    const auto found =
        diagnose::recognise_schedule(diagnose::measured_job(traced(name, 4, 8, 1, 1), "t"));
    EXPECT_EQ(found.name, name);
    EXPECT_EQ(found.distance, 0u);
    EXPECT_EQ(found.deviation, "");
  }
}

// ZB-H1 has the order of 1F1B but for weight gradients; where they stand apart, they tell.
TEST(RecogniseSchedule, weight_gradients_tell_schedules_apart) {
  const auto found =
      diagnose::recognise_schedule(diagnose::measured_job(traced("zb-h1", 4, 8, 1, 1), "t"));
  EXPECT_EQ(found.name, "zb-h1");
  std::vector<TracedOperation> all = traced("zb-h1", 4, 8, 1, 1);
  std::erase_if(all, [](const auto& one) { return one.kind == OperationKind::weight_gradient; });
  EXPECT_EQ(diagnose::recognise_schedule(diagnose::measured_job(all, "t")).name, "1f1b");
}

// In a V the last rank has the two stages in the middle of the model, the first both ends.
TEST(RecogniseSchedule, a_schedule_says_which_stages_its_ranks_have) {
  const auto found =
      diagnose::recognise_schedule(diagnose::measured_job(traced("zb-v", 3, 6, 1, 1), "t"));
  EXPECT_EQ(found.name, "zb-v");
  EXPECT_EQ(found.placement, (diagnose::Placement{{0, 5}, {1, 4}, {2, 3}}));
}

TEST(RecogniseSchedule, the_first_pass_out_of_order_is_named) {
  std::vector<TracedOperation> all = traced("1f1b", 2, 8, 1, 1);
  // Two forwards of the last stage change places.
  TracedOperation* first = nullptr;
  for (TracedOperation& one : all) {
    if (one.stage != 1 || one.kind != OperationKind::forward) continue;
    if (one.micro_batch == 2) first = &one;
    if (one.micro_batch == 3) std::swap(first->micro_batch, one.micro_batch);
  }
  const auto found = diagnose::recognise_schedule(diagnose::measured_job(all, "t"));
  EXPECT_EQ(found.name, "1f1b");
  EXPECT_EQ(found.distance, 2u);
  EXPECT_EQ(found.deviation, "stage 1, pass 4: 1F3 instead of 1F2");
}

TEST(RecogniseSchedule, an_order_of_its_own_is_unknown) {
  std::vector<TracedOperation> all = traced("gpipe", 2, 8, 1, 1);
  for (TracedOperation& one : all)
    if (diagnose::is_pass(one.kind)) one.micro_batch = one.micro_batch * 3 % 8;
  for (TracedOperation& one : all)
    if (one.kind == OperationKind::forward && one.stage == 1) one.micro_batch = 7 - one.micro_batch;
  EXPECT_EQ(diagnose::recognise_schedule(diagnose::measured_job(all, "t")).name, "unknown");
}

TEST(RecogniseSchedule, ranks_that_a_trace_lacks_fit_every_order) {
  std::vector<TracedOperation> all = traced("1f1b", 4, 8, 2, 1);
  std::erase_if(all, [](const TracedOperation& one) {
    return one.stage == 2 || (one.stage == 1 && one.dp_rank == 0);
  });
  const auto found = diagnose::recognise_schedule(diagnose::measured_job(all, "t"));
  EXPECT_EQ(found.name, "1f1b");
  EXPECT_EQ(found.distance, 0u);
}

TEST(RecogniseSchedule, distances_count_edits) {
  const auto distance = [](std::vector<uint64_t> a, std::vector<uint64_t> b, size_t most) {
    return diagnose::order_distance(a, b, most);
  };
  EXPECT_EQ(distance({1, 2, 3}, {1, 2, 3}, 9), 0u);
  EXPECT_EQ(distance({1, 2, 3}, {1, 3}, 9), 1u);
  EXPECT_EQ(distance({1, 2, 3}, {4, 5, 6}, 9), 3u);
  EXPECT_EQ(distance({1, 2, 3}, {4, 5, 6}, 2), 2u);
  EXPECT_EQ(distance({}, {1, 2}, 9), 2u);
  EXPECT_EQ(distance({1, 2, 3, 4, 5}, {2, 3, 4, 5, 1}, 9), 2u);
  EXPECT_EQ(distance({7, 1, 2, 3}, {1, 2, 3, 8}, 2), 2u);
}

// PipeDream updates after every micro-batch and goes on meanwhile.
TEST(RecogniseSchedule, iterations_that_run_on_are_of_an_asynchronous_schedule) {
  diagnose::JobTrace trace{.operations = traced("1f1b", 4, 8, 1, 1)};
  for (TracedOperation& one : trace.operations) one.iteration = std::max(one.micro_batch, 0);
  for (int32_t iteration = 0; iteration < 8; ++iteration) trace.iterations.push_back(iteration);
  const auto found = diagnose::recognise_schedule(diagnose::measured_job(trace, "t"));
  EXPECT_EQ(found.name, "pipedream");
  EXPECT_EQ(found.distance, 0u);
}

TEST(RecogniseSchedule, a_schedule_says_which_of_its_passes_are_pairs) {
  const auto found =
      diagnose::recognise_schedule(diagnose::measured_job(traced("1f1b", 2, 4, 1, 1), "t"));
  ASSERT_EQ(found.pairs.size(), 2u);
  EXPECT_EQ(found.pairs[0], std::vector<bool>(8, false));
}

}  // namespace
}  // namespace pipewright::test
