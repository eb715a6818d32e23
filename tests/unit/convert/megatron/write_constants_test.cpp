#include <gtest/gtest.h>

#include "lines_of.hpp"

namespace pipewright::test {
namespace {

/// What is written of a small Qwen3-MoE whose configuration says `constants` too.
std::string written(const std::string& constants) {
  return lines_of(megatron::write_constants,
                  "model: {model_type: qwen3_moe, hidden_size: 256, num_hidden_layers: 4,\n"
                  "  num_attention_heads: 4, num_key_value_heads: 2, intermediate_size: 512,\n"
                  "  moe_intermediate_size: 64, num_experts: 8, num_experts_per_tok: 2,\n"
                  "  vocab_size: 1024, hidden_act: silu, " +
                      constants +
                      "}\n"
                      "cluster: {node: dgx-h100, nodes: 1}\n"
                      "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n");
}

/// The constants of that model that no argument says.
std::string unsaid(const std::string& constants) {
  std::string text;
  const Experiment e = experiment_of(
      "model: {model_type: qwen3, hidden_size: 256, num_hidden_layers: 4, num_attention_heads: 4,\n"
      "  num_key_value_heads: 2, intermediate_size: 512, vocab_size: 1024, " +
      constants +
      "}\ncluster: {node: dgx-h100, nodes: 1}\n"
      "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n");
  for (const ModelConstant& constant : job::model_constants(e))
    if (!megatron::says_own_constant(e, constant)) text += job::text_of(constant) + "\n";
  return text;
}

TEST(MegatronWriteConstants, what_a_configuration_says_is_said) {
  EXPECT_EQ(written("rope_theta: 1000000.0, rms_norm_eps: 1e-06, initializer_range: 0.02, "
                    "router_aux_loss_coef: 0.001, norm_topk_prob: true, rope_scaling: null"),
            "--rotary-base 1000000\n--norm-epsilon 1e-06\n--init-method-std 0.02\n"
            "--moe-aux-loss-coeff 0.001\n");
}

TEST(MegatronWriteConstants, how_the_router_chooses_is_a_flag_or_a_choice) {
  EXPECT_EQ(written("scoring_func: sigmoid, topk_method: noaux_tc, routed_scaling_factor: 2.5"),
            "--moe-router-score-function sigmoid\n--moe-router-topk-scaling-factor 2.5\n"
            "--moe-router-enable-expert-bias\n");
  EXPECT_EQ(written("norm_topk_prob: false"), "--moe-router-pre-softmax\n");
}

TEST(MegatronWriteConstants, version_5_of_the_library_has_the_base_elsewhere) {
  EXPECT_EQ(written("rope_parameters: {rope_theta: 5000000, rope_type: default}"),
            "--rotary-base 5000000\n");
}

TEST(MegatronWriteConstants, only_the_scaling_of_llama_3_1_stands_in_megatrons_source) {
  EXPECT_EQ(unsaid("rope_scaling: {rope_type: llama3, factor: 8.0, low_freq_factor: 1.0,\n"
                   "  high_freq_factor: 4.0, original_max_position_embeddings: 8192}"),
            "");
  EXPECT_EQ(unsaid("rope_scaling: {rope_type: yarn, factor: 4.0}"),
            "rope_scaling {rope_type: yarn, factor: 4}\n");
  EXPECT_EQ(unsaid("hidden_act: relu2"), "hidden_act relu2\n");
}

TEST(MegatronWriteConstants, a_model_of_ours_says_none) {
  EXPECT_EQ(lines_of(megatron::write_constants, small_experiment), "");
}

// Nemotron-4's MLP has no gate; Megatron-LM's quick GELU has one.
TEST(MegatronWriteConstants, an_activation_has_its_gate) {
  const auto lines = [](const std::string& gated, const std::string& activation) {
    return lines_of(megatron::write_constants,
                    "model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1024, "
                    "gated: " +
                        gated + "}, constants: {hidden_act: " + activation +
                        "}}\ncluster: {node: dgx-h100, nodes: 1}\n"
                        "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n");
  };
  EXPECT_EQ(lines("false", "relu2"), "--squared-relu\n");
  EXPECT_EQ(lines("true", "relu2"), "");
  EXPECT_EQ(lines("true", "quick_gelu"), "--quick-geglu\n");
  EXPECT_EQ(lines("false", "quick_gelu"), "");
}

}  // namespace
}  // namespace pipewright::test
