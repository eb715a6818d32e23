// What of the copies of tokens crosses between the nodes of an expert group.
#include "plan/dispatch.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

TEST(Dispatch, a_node_with_two_of_a_token_s_experts_gets_it_once) {
  // 2 of 4 experts, two a node: a node has none of them in 1 of 6 draws. Of 2 copies one goes to
  // the other node in the mean; sent once, 5/6 of one does.
  EXPECT_NEAR(once_a_node({.count = 4, .active = 2}, 2), 5.0 / 6, 1e-12);
  // All of 4 experts on 2 nodes: two copies for each, one of them sent.
  EXPECT_NEAR(once_a_node({.count = 4, .active = 4}, 2), 0.5, 1e-12);
}

TEST(Dispatch, a_token_that_is_limited_to_a_group_goes_to_its_node_alone) {
  // 2 of 4 experts, both in one of two groups, a group a node: each node is reached by half the
  // tokens, which need both of its experts. Of 2 copies half a one crosses.
  EXPECT_NEAR(once_a_node({.count = 4, .active = 2, .groups = 2, .active_groups = 1}, 2), 0.5,
              1e-12);
  // Four groups of one expert, two a node, two of them chosen: as without groups.
  EXPECT_NEAR(once_a_node({.count = 4, .active = 2, .groups = 4, .active_groups = 2}, 2), 5.0 / 6,
              1e-12);
  // One group of four experts over two nodes: as without groups.
  EXPECT_NEAR(once_a_node({.count = 4, .active = 2, .groups = 1, .active_groups = 1}, 2), 5.0 / 6,
              1e-12);
}

TEST(Dispatch, fewer_groups_never_send_more) {
  double before = 0;
  for (int64_t groups = 1; groups <= 8; ++groups) {
    const double share =
        once_a_node({.count = 256, .active = 8, .groups = 8, .active_groups = groups}, 8);
    EXPECT_GT(share, before);
    before = share;
  }
  // All groups chosen: the limit is none.
  EXPECT_NEAR(before, once_a_node({.count = 256, .active = 8}, 8), 1e-12);
}

TEST(Dispatch, nothing_is_spared_where_a_token_has_one_expert_or_all_are_on_one_node) {
  EXPECT_NEAR(once_a_node({.count = 8, .active = 1}, 4), 1, 1e-12);
  EXPECT_EQ(once_a_node({.count = 8, .active = 2}, 1), 1);
}

/// Four experts over as many devices, on `nodes` nodes, each token with two.
config::Value four_experts(int nodes, const std::string& rest = "") {
  return experiment(
      "model: {transformer: {layers: 2, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768, "
      "experts: {count: 4, active: 2, ffn: 4096}}}\n"
      "cluster: {node: {device: a100-sxm-80g, devices: " +
      std::to_string(4 / nodes) + ", interconnect: {kind: nvswitch, link: nvlink3}}, nodes: " +
      std::to_string(nodes) + (nodes > 1 ? ", fabric: {kind: fat-tree, link: hdr, nics: 1}" : "") +
      "}\n"
      "parallel: {tensor: 1, pipeline: 1, data: 4, expert: 4}\n"
      "batch: {global: 4, micro: 1, sequence: 1024}\n"
      "schedule: gpipe\n" +
      rest);
}

double sent(const config::Value& experiment) {
  return run(experiment).result.metrics.communication[static_cast<size_t>(Traffic::expert)].bytes;
}

TEST(Dispatch, an_experiment_sends_once_a_node_unless_it_says_otherwise) {
  const double each = sent(four_experts(2, "dispatch: each-copy\n"));
  const double once = sent(four_experts(2));
  // The counts that are gathered are the same few bytes.
  EXPECT_NEAR(once / each, 5.0 / 6, 1e-4);
  EXPECT_EQ(sent(four_experts(1)), sent(four_experts(1, "dispatch: each-copy\n")));
}

TEST(Dispatch, a_model_without_experts_has_none) {
  const std::string error =
      error_of([] { run(small_gpt("dispatch: each-copy\nschedule: 1f1b\n")); });
  EXPECT_NE(error.find("dispatch: a model without experts sends them nothing"), std::string::npos)
      << error;
}

TEST(Dispatch, another_word_is_refused) {
  const std::string error = error_of([] { run(four_experts(2, "dispatch: twice\n")); });
  EXPECT_NE(error.find("once-a-node"), std::string::npos) << error;
}

}  // namespace
}  // namespace pipewright::test
