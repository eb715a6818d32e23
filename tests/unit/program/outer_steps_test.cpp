#include "program/outer_steps.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

Work of_length(int64_t ps) { return Work{.fixed = picoseconds(ps)}; }

/// Four replicas, F 10, B 20, every collective 1, the step 7, outer gradients 2, outer step 3.
Program program_of(int sites, bool meets, bool gathers) {
  Times times;
  times.forward = picoseconds(10);
  times.backward = picoseconds(20);
  const Schedule schedule =
      schedule::build({.ranks = 1, .micro_batches = 1}, config::scalar("gpipe"));
  UpdateWork update;
  update.reduce = {CollectiveWork{CollectiveKind::all_reduce, Axis::data, MiB}};
  update.kernels = {of_length(7)};
  if (meets) {
    update.outer = OuterWork{.difference = of_length(2),
                             .exchange = {CollectiveKind::all_reduce, Axis::sites, MiB},
                             .step = of_length(3),
                             .gather = {}};
    if (gathers) update.outer->gather = {{CollectiveKind::all_gather, Axis::data, MiB}};
  }
  Grid grid = grid_of(1, 1, 4);
  for (Mesh& mesh : grid.meshes) mesh.sites = sites;
  return lower({.schedule = schedule,
                .stages = stages_of(schedule, times),
                .updates = {update},
                .grid = grid});
}

int64_t length_of(const Program& program) {
  Time end;
  for (const Span& span : simulate(program, fixed_durations(program, picoseconds(1))).spans)
    end = std::max(end, span.end);
  return end.ps;
}

TEST(OuterSteps, follow_the_step_one_after_the_other) {
  EXPECT_EQ(length_of(program_of(2, false, false)), 10 + 20 + 1 + 7);
  EXPECT_EQ(length_of(program_of(2, true, false)), 10 + 20 + 1 + 7 + 2 + 1 + 3);
  EXPECT_EQ(length_of(program_of(2, true, true)), 10 + 20 + 1 + 7 + 2 + 1 + 3 + 1);
}

TEST(OuterSteps, one_site_exchanges_nothing) {
  EXPECT_EQ(length_of(program_of(1, true, false)), 10 + 20 + 1 + 7 + 2 + 3);
}

// Gradients are reduced in {0, 1} and {2, 3}, weights' differences in {0, 2} and {1, 3}.
TEST(OuterSteps, join_the_same_places_of_all_sites) {
  const Program program = program_of(2, true, false);
  std::vector<std::vector<int32_t>> groups = program.groups;
  std::ranges::sort(groups);
  const std::vector<std::vector<int32_t>> expected{{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  for (const std::vector<int32_t>& group : expected)
    EXPECT_TRUE(std::ranges::find(groups, group) != groups.end());
}

}  // namespace
}  // namespace pipewright::test
