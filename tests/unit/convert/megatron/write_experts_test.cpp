#include <gtest/gtest.h>

#include "lines_of.hpp"

namespace pipewright::test {
namespace {

const std::string with_experts =
    "model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1024,\n"
    "  experts: {count: 8, active: 2, ffn: 512, dense: 2}}}\n"
    "cluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8}}\n"
    "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n";

TEST(MegatronWriteExperts, are_said_with_the_layers_that_have_them) {
  EXPECT_EQ(lines_of(megatron::write_experts, small_experiment), "");
  EXPECT_EQ(lines_of(megatron::write_experts, with_experts + "parallel: {data: 16}\n"),
            "--num-experts 8\n--moe-grouped-gemm\n--moe-router-topk 2\n--moe-ffn-hidden-size 512\n"
            "--moe-layer-freq '([0]*2+[1]*4)'\n");
}

TEST(MegatronWriteExperts, the_last_of_every_group_is_a_pattern) {
  std::string every = with_experts;
  every.replace(every.find("dense: 2"), 8, "every: 3");
  EXPECT_NE(lines_of(megatron::write_experts, every)
                .find("--moe-layer-freq '([0]*2+[1]*1+[0]*2+[1]*1)'\n"),
            std::string::npos);
}

TEST(MegatronWriteExperts, what_all_share_has_a_width_and_a_gate) {
  std::string shared = with_experts;
  shared.replace(shared.find("dense: 2"), 8,
                 "shared: 1, shared_ffn: 768, shared_gate: true, latent: 64");
  EXPECT_NE(lines_of(megatron::write_experts, shared + "parallel: {data: 16}\n")
                .find("--moe-shared-expert-intermediate-size 768\n--moe-shared-expert-gate\n"
                      "--moe-latent-size 64\n"),
            std::string::npos);
}

TEST(MegatronWriteExperts, that_are_spread_have_a_dispatcher) {
  const std::string spread = with_experts + "parallel: {data: 16, expert: 8}\n";
  EXPECT_NE(lines_of(megatron::write_experts, spread + "dispatch: once-a-node\n")
                .find("--moe-token-dispatcher-type flex\n--moe-flex-dispatcher-backend deepep\n"),
            std::string::npos);
  EXPECT_NE(lines_of(megatron::write_experts, spread + "dispatch: each-copy\n")
                .find("--expert-model-parallel-size 8\n"),
            std::string::npos);
}

// megatron/core/transformer/moe/moe_layer.py raises otherwise.
TEST(MegatronWriteExperts, over_tensor_ranks_need_sequence_parallelism) {
  EXPECT_THROW(lines_of(megatron::write_experts, with_experts + "parallel: {tensor: 2, data: 8}\n"),
               Misfit);
  EXPECT_NE(lines_of(megatron::write_experts,
                     with_experts + "parallel: {tensor: 2, data: 8, sequence: true}\n"),
            "");
}

}  // namespace
}  // namespace pipewright::test
