// ZeRO++ (arXiv 2306.10209): second pieces of weights in every node, gradients in 4 bits.
#include "plan/near_replicas.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

RunResult trained(const std::string& parallel, int nodes = 2) {
  config::Value job = small_gpt("parallel: {data: " + std::to_string(8 * nodes) + ", zero: 3" +
                                    parallel + "}\nschedule: gpipe\nnetwork: alpha-beta\n",
                                nodes);
  config::set_path(job, "cluster.fabric={kind: star, link: eth-25}");
  return run(job).result;
}

std::string near_refusal(const std::string& parallel) {
  return error_of([&] { trained(parallel); });
}

Bytes weights_of_rank(const RunResult& result) {
  return result.metrics.ranks.front().memory.weights;
}

// A sixteenth of the weights, and an eighth beside it.
TEST(NearReplicas, hold_a_second_piece_of_the_weights) {
  const double one = static_cast<double>(weights_of_rank(trained("")).count);
  EXPECT_NEAR(static_cast<double>(weights_of_rank(trained(", secondary: 8")).count) / one,
              1 + 16 / 8, 1e-6);
  EXPECT_NEAR(static_cast<double>(weights_of_rank(trained(", secondary: 4")).count) / one,
              1 + 16 / 4, 1e-6);
}

TEST(NearReplicas, spare_the_network_the_gathers_of_backward_passes) {
  const Time whole = trained("").metrics.iteration;
  EXPECT_LT(trained(", secondary: 8").metrics.iteration, whole);
}

TEST(NearReplicas, reduce_gradients_of_4_bits_sooner_where_the_network_is_slow) {
  const Time whole = trained("").metrics.iteration;
  const Time narrow = trained(", scattered: int4").metrics.iteration;
  EXPECT_LT(narrow, whole);
  EXPECT_LT(trained(", scattered: int4, secondary: 8, gathered: int8").metrics.iteration, narrow);
}

TEST(NearReplicas, on_one_node_second_pieces_are_the_first_ones_again) {
  EXPECT_EQ(trained(", secondary: 8", 1).metrics.iteration, trained("", 1).metrics.iteration);
}

/// The same of a model of which half of the blocks have experts, spread over four devices.
RunResult with_experts(const std::string& parallel) {
  config::Value job = small_gpt("parallel: {data: 16, zero: 3, expert: 4" + parallel +
                                    "}\nschedule: gpipe\nnetwork: alpha-beta\n",
                                2);
  config::set_path(job, "cluster.fabric={kind: star, link: eth-25}");
  config::set_path(job, "model.experts={count: 8, active: 2, every: 2}");
  return run(job).result;
}

// What all replicas hold has a second piece; experts have none, so that the second pieces take less
// than those of a model whose experts every device has.
TEST(NearReplicas, leave_experts_that_are_spread_to_those_that_hold_the_same) {
  const RunResult plain = with_experts(""), near = with_experts(", secondary: 8");
  EXPECT_LT(near.metrics.iteration, plain.metrics.iteration);
  const Bytes second = weights_of_rank(near) - weights_of_rank(plain);
  EXPECT_GT(second, Bytes{});
  EXPECT_LT(second.count, weights_of_rank(plain).count * 16 / 8);
  EXPECT_LE(with_experts(", scattered: int4").metrics.iteration, plain.metrics.iteration);
}

TEST(NearReplicas, divide_the_replicas) {
  EXPECT_NE(near_refusal(", secondary: 3").find("secondary 3 must divide data x context = 16"),
            std::string::npos);
  EXPECT_NE(
      near_refusal(", secondary: 4, shard: 8").find("'secondary' means nothing beside 'shard'"),
      std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
