#include "program/update_groups.hpp"

#include <gtest/gtest.h>

#include <set>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

/// F 10, B 20, hop 1 (picoseconds).
Times update_times() {
  Times times;
  times.forward = picoseconds(10);
  times.backward = picoseconds(20);
  times.hop = picoseconds(1);
  return times;
}

/// Devices of the groups that run collectives of `bytes`.
std::set<std::vector<int32_t>> groups_that_move(const Program& program, Bytes bytes) {
  std::set<std::vector<int32_t>> groups;
  for (const Op& op : program.ops) {
    const OpType& type = program.types[op.type];
    if (type.kind == OpKind::collective && type.bytes == bytes)
      groups.insert(program.groups[op.peer]);
  }
  return groups;
}

// Two tensor ranks of four replicas; groups of four devices share the experts: those of replicas 0
// and 1, and of 2 and 3. The devices with the first quarter of them are 0 and 4, and so on.
TEST(UpdateGroups, gradients_of_experts_are_reduced_where_the_same_experts_are) {
  const Schedule schedule =
      schedule::build({.ranks = 1, .micro_batches = 1}, config::scalar("gpipe"));
  UpdateWork update{.kernels = {Work{.fixed = picoseconds(7)}}};
  update.reduce = {CollectiveWork{CollectiveKind::reduce_scatter, Axis::data, Bytes{8}}};
  update.reduce_experts = {{CollectiveKind::reduce_scatter, Axis::expert_copies, Bytes{16}}};
  update.gather = {{CollectiveKind::all_gather, Axis::expert_copies, Bytes{24}}};
  Grid grid = grid_of(1, 2, 4);
  grid.meshes.front().expert = 4;
  const Program program = lower({.schedule = schedule,
                                 .stages = stages_of(schedule, update_times()),
                                 .updates = {update},
                                 .grid = grid});
  using Groups = std::set<std::vector<int32_t>>;
  const Groups copies{{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  EXPECT_EQ(groups_that_move(program, Bytes{8}), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(groups_that_move(program, Bytes{16}), copies);
  EXPECT_EQ(groups_that_move(program, Bytes{24}), copies);
}

// Three replicas of two tensor ranks, of which the first replica and tensor rank is simulated.
TEST(UpdateGroups, devices_that_are_not_simulated_belong_to_their_group) {
  const Schedule schedule =
      schedule::build({.ranks = 2, .micro_batches = 2}, config::scalar("gpipe"));
  const LoweringInput input{.schedule = schedule,
                            .stages = stages_of(schedule, update_times()),
                            .grid = grid_of(2, 2, 3),
                            .fold_tensor = true,
                            .replicas = {2, std::vector<ReplicaClass>{ReplicaClass{0, 3}}}};
  const ProgramDraft draft(input);
  const CompletedMember member{.rank = 1, .member = 0, .ops = {}};
  EXPECT_EQ(devices_of(draft, {member}, Axis::data), (std::vector<int32_t>{2, 6, 10}));
  EXPECT_EQ(device_like(draft, member, 0), 0);
  EXPECT_EQ(update_groups(draft, {member}, Axis::data).size(), 1u);
}

}  // namespace
}  // namespace pipewright::test
