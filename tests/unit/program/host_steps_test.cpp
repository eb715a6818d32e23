#include "program/host_steps.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

// F 10, B 8 and 8, of which each completes one part of the gradients. Copies take 5: gradients
// leave 18-23 and 26-31. The device's part of the step takes 7, 26-33; the host's 7 for each part,
// 33-40 and 40-47; weights come back 40-45 and 47-52.
TEST(HostSteps, the_host_steps_part_by_part_beside_copies) {
  const Schedule schedule =
      schedule::build({.ranks = 1, .micro_batches = 1}, config::scalar("gpipe"));
  StageWork stage{.forward = one_segment(picoseconds(10)),
                  .backward = one_segment(picoseconds(16))};
  for (const int part : {0, 1})
    stage.last_backward.push_back({.kernels = {Work{.fixed = picoseconds(8)}}, .part = part});
  UpdateWork update{.kernels = {Work{.fixed = picoseconds(7)}}};
  const CollectiveWork nothing_to_reduce{CollectiveKind::all_reduce, Axis::data, Bytes{4}};
  update.reduce = {nothing_to_reduce, nothing_to_reduce};
  const UpdateWork::HostPart part{Bytes{4}, Bytes{2}, picoseconds(7)};
  update.on_host = {part, part};
  const Program program =
      lower({.schedule = schedule, .stages = {stage}, .updates = {update}, .grid = grid_of(1)});
  std::vector<Time> durations = fixed_durations(program, {});
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (program.type(op).kind == OpKind::copy) durations[op] = picoseconds(5);
  Time end;
  for (const Span& span : simulate(program, durations).spans) end = std::max(end, span.end);
  EXPECT_EQ(end.ps, 52);
}

}  // namespace
}  // namespace pipewright::test
