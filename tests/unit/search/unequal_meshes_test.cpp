#include "search/unequal_meshes.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace pipewright::search {
namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();

/// Every way to cut links into stages on meshes that together use every device.
double least_time_by_trying(const MeshProblem& p, int first, int devices, size_t before, double sum,
                            double largest) {
  if (first == p.links) return devices == 0 ? sum + (p.micro_batches - 1) * largest : impossible;
  double best = impossible;
  for (size_t mesh = 0; mesh < p.mesh_devices.size(); ++mesh) {
    if (p.mesh_devices[mesh] > devices) continue;
    const double moved = first == 0 ? 0 : p.reshard_s(first - 1, before, mesh);
    for (int last = first; last < p.links; ++last) {
      const double stage = p.stage_s(first, last, mesh);
      best = std::min(best,
                      least_time_by_trying(p, last + 1, devices - p.mesh_devices[mesh], mesh,
                                           sum + stage + moved, std::max({largest, stage, moved})));
    }
  }
  return best;
}

TEST(UnequalMeshes, equal_trying_everything) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> any(1, 40);
  for (int links = 1; links <= 5; ++links) {
    for (int devices = 1; devices <= 6; ++devices) {
      std::vector<double> times(static_cast<size_t>(links) * 3), moves(9);
      for (double& time : times) time = any(random) / 8.0;
      for (double& move : moves) move = any(random) / 16.0;
      const MeshProblem problem{
          .links = links,
          .devices = devices,
          .micro_batches = 4,
          .mesh_devices = {1, 2, 4},
          .stage_s =
              [&](int first, int last, size_t mesh) {
                double sum = 0;
                for (int i = first; i <= last; ++i) sum += times[static_cast<size_t>(i) * 3 + mesh];
                return sum;
              },
          .reshard_s = [&](int, size_t from, size_t to) { return moves[from * 3 + to]; }};
      const double best = least_time_by_trying(problem, 0, devices, 0, 0, 0);
      if (best == impossible)
        EXPECT_EQ(unequal_meshes(problem).seconds, impossible);
      else
        EXPECT_DOUBLE_EQ(unequal_meshes(problem).seconds, best) << links << " on " << devices;
    }
  }
}

// Three links, of which one takes twice as long and gains from two devices: it gets them.
TEST(UnequalMeshes, give_more_devices_to_what_takes_longer) {
  const MeshProblem problem{.links = 3,
                            .devices = 4,
                            .micro_batches = 100,
                            .mesh_devices = {1, 2},
                            .stage_s =
                                [](int first, int last, size_t mesh) {
                                  double sum = 0;
                                  for (int i = first; i <= last; ++i) sum += i == 1 ? 2 : 1;
                                  return sum / (mesh == 1 ? 2 : 1);
                                },
                            .reshard_s = [](int, size_t, size_t) { return 0.0; }};
  const MeshPlan plan = unequal_meshes(problem);
  EXPECT_DOUBLE_EQ(plan.seconds, 3 + 99);
}

TEST(Submeshes, are_powers_of_two_in_a_node_and_whole_nodes) {
  EXPECT_EQ(submeshes(3, 4), (std::vector<Mesh>{{1, 1}, {1, 2}, {1, 4}, {2, 4}, {3, 4}}));
}

// Nodes of four: 1 at 0, 2 at 2, then two whole nodes, the second 2 in no started node, 1 beside
// the first.
TEST(FirstDevices, are_the_first_that_are_free_at_a_multiple_of_the_mesh) {
  EXPECT_EQ(first_devices({{1, 1}, {1, 2}, {2, 4}, {1, 2}, {1, 1}}, 16, 4),
            (std::vector<int>{0, 2, 4, 12, 1}));
}

TEST(FirstDevices, are_none_where_no_whole_node_is_left) {
  EXPECT_FALSE(first_devices({{1, 1}, {1, 4}, {1, 4}}, 8, 4));
}

}  // namespace
}  // namespace pipewright::search
