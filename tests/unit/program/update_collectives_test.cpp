#include "program/update_collectives.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

/// F 10, B 20, hop 1 (picoseconds).
Times times() {
  Times times;
  times.forward = picoseconds(10);
  times.backward = picoseconds(20);
  times.hop = picoseconds(1);
  return times;
}

// Gradients of 2 replicas are reduced after the last backward (30), 1 long, then the step.
TEST(UpdateCollectives, the_optimizer_steps_after_the_gradients_are_reduced) {
  const Schedule schedule =
      schedule::build({.ranks = 1, .micro_batches = 1}, config::scalar("gpipe"));
  UpdateWork update;
  update.reduce = {CollectiveWork{CollectiveKind::all_reduce, Axis::data, MiB}};
  update.kernels = {Work{.fixed = picoseconds(7)}};
  const Program program = lower({.schedule = schedule,
                                 .stages = stages_of(schedule, times()),
                                 .updates = {update},
                                 .grid = grid_of(1, 1, 2)});
  const Timeline timeline = simulate(program, fixed_durations(program, times().hop));
  Time end;
  for (const Span& span : timeline.spans) end = std::max(end, span.end);
  EXPECT_EQ(end.ps, 10 + 20 + 1 + 7);
}

/// Two replicas, two micro-batches, F 10, B 20 of two halves; each half's gradients are a bucket
/// whose reduction takes 8; the step takes 7.
Time end_with_buckets(bool overlap) {
  const Schedule schedule =
      schedule::build({.ranks = 1, .micro_batches = 2}, config::scalar("gpipe"));
  const CollectiveWork bucket{CollectiveKind::all_reduce, Axis::data, MiB};
  UpdateWork update{.reduce = {bucket, bucket}, .kernels = {Work{.fixed = picoseconds(7)}}};
  std::vector<StageWork> stages = stages_of(schedule, times());
  for (const int part : {0, 1})
    stages[0].last_backward.push_back({.kernels = {Work{.fixed = picoseconds(10)}}, .part = part});
  const Program program = lower({.schedule = schedule,
                                 .stages = stages,
                                 .updates = {update},
                                 .overlap_data = overlap,
                                 .grid = grid_of(1, 1, 2)});
  const Timeline timeline = simulate(program, fixed_durations(program, picoseconds(8)));
  Time end;
  for (const Span& span : timeline.spans) end = std::max(end, span.end);
  return end;
}

// F0 0-10, F1 10-20, B0 20-40, B1 40-50 and 50-60; the first bucket 50-58, the second 60-68, the
// step 68-75. Without overlap both buckets start at 60, one after the other.
TEST(UpdateCollectives, a_bucket_is_reduced_while_the_last_backward_runs_on) {
  EXPECT_EQ(end_with_buckets(true).ps, 75);
  EXPECT_EQ(end_with_buckets(false).ps, 60 + 16 + 7);
}

/// The groups of devices that sum the gradients of a table whose copies are on `stages`.
std::vector<std::vector<int32_t>> tied_groups(int ranks, std::vector<int> stages) {
  const Schedule schedule =
      schedule::build({.ranks = ranks, .micro_batches = 2}, config::scalar("gpipe"));
  const Program program = lower({.schedule = schedule,
                                 .stages = stages_of(schedule, times()),
                                 .updates = std::vector<UpdateWork>(static_cast<size_t>(ranks)),
                                 .tied_embedding = {Bytes{8}, std::move(stages)},
                                 .grid = grid_of(ranks, 1, 2)});
  std::vector<std::vector<int32_t>> groups;
  for (const Op& op : program.ops)
    if (program.types[op.type].tied) groups.push_back(program.groups[op.peer]);
  return groups;
}

using Groups = std::vector<std::vector<int32_t>>;

// Two stages on two ranks of two replicas each: the table is summed between neighbours in the
// pipeline.
TEST(UpdateCollectives, a_tied_table_is_summed_between_first_and_last_stage) {
  EXPECT_EQ(tied_groups(2, {0, 1}), (Groups{{0, 1}, {2, 3}}));
}

// Of four stages a prediction stands on the third, and the head has weights of its own or not.
TEST(UpdateCollectives, a_tied_table_is_summed_over_all_stages_that_read_it) {
  EXPECT_EQ(tied_groups(4, {0, 2}), (Groups{{0, 2}, {4, 6}}));
  EXPECT_EQ(tied_groups(4, {0, 2, 3}), (Groups{{0, 2, 3}, {4, 6, 7}}));
}

}  // namespace
}  // namespace pipewright::test
