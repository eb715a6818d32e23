// Weights that are cut over groups of replicas, of which each holds all of them.
#include <gtest/gtest.h>

#include "plan/data_parallel.hpp"
#include "plan/grid.hpp"
#include "plan/mesh_work.hpp"
#include "plan/settled_sizes.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// The buffers of a GPT of which half of the blocks have experts, on `replicas` devices.
ShardedWeights::Stage cut_weights(int replicas, const std::string& parallel) {
  config::Value job = small_gpt("schedule: gpipe\nprecision: bf16\ngradients: bf16\nparallel: {" +
                                parallel + ", zero: 3, data: " + std::to_string(replicas) + "}\n");
  config::set_path(job, "model.experts={count: 8, active: 2, every: 2}");
  Experiment e = read_experiment(job);
  settle_sizes(e, e.model_or_fail(), replicas);
  const MeshWork work = mesh_works(e, e.model_or_fail()).front();
  Mesh mesh = make_grid(e, replicas).meshes.front();
  mesh.shard = shard_degree(e, mesh);
  return DataParallel(e, mesh, true, std::nullopt).sharded(work.layers);
}

int64_t sum(const std::vector<Bytes>& parts) {
  int64_t bytes = 0;
  for (const Bytes part : parts) bytes += part.count;
  return bytes;
}

// Each copy gathers and scatters as if it were alone. Then each device sums what it has of the
// gradients, whose pieces are all gradients of a copy.
TEST(ShardDegree, copies_of_spread_experts_are_each_as_one_alone) {
  for (const int expert : {1, 2, 4}) {
    const std::string spread = "expert: " + std::to_string(expert);
    const ShardedWeights::Stage alone = cut_weights(4, spread);
    for (const char* copies : {", shard: 4", ", replicate: 2"}) {
      const ShardedWeights::Stage one = cut_weights(8, spread + copies);
      EXPECT_EQ(one.weights, alone.weights);
      EXPECT_EQ(one.gradients, alone.gradients);
      EXPECT_EQ(one.experts, alone.experts);
      EXPECT_EQ(one.expert_gradients, alone.expert_gradients);
      const int64_t all = sum(cut_weights(4, "expert: 1").gradients);
      EXPECT_NEAR(static_cast<double>(4 * sum(one.pieces)) / static_cast<double>(all), 1, 1e-3);
    }
    EXPECT_TRUE(alone.pieces.empty());
  }
}

// Experts of which each device of a copy has its own are not gathered.
TEST(ShardDegree, experts_that_a_copy_holds_once_stay) {
  EXPECT_EQ(sum(cut_weights(8, "expert: 4, shard: 4").experts), 0);
  EXPECT_GT(sum(cut_weights(8, "expert: 2, shard: 4").experts), 0);
}

TEST(ShardDegree, each_copy_has_all_experts) {
  EXPECT_NE(error_of([] {
              cut_weights(8, "expert: 8, shard: 4");
            }).find("expert 8 must divide tensor x shard = 4"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
