#include "convert/job/model_constants.hpp"

#include <gtest/gtest.h>

#include <string>

#include "experiments.hpp"

namespace pipewright::test {
namespace {

/// The constants of a configuration, each on a line.
std::string constants_of(const std::string& model) {
  const Experiment e = read_experiment(
      resolve(experiment("model: {" + model +
                         "}\ncluster: {node: dgx-h100, nodes: 1}\n"
                         "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n"),
              config::Catalogue()));
  std::string text;
  for (const ModelConstant& one : job::model_constants(e)) text += job::text_of(one) + "\n";
  return text;
}

const std::string dimensions =
    "hidden_size: 256, num_hidden_layers: 4, num_attention_heads: 4, intermediate_size: 512, "
    "vocab_size: 1024, ";
const std::string llama = "model_type: llama, " + dimensions;
const std::string gpt2 =
    "model_type: gpt2, n_embd: 256, n_layer: 4, n_head: 4, n_positions: 128, vocab_size: 1024, ";
const std::string experts = "model_type: qwen3_moe, " + dimensions +
                            "moe_intermediate_size: 64, num_experts: 8, num_experts_per_tok: 2, ";

// Nor does what is said of experts or of a rotation that the model does not have.
TEST(ModelConstants, what_changes_nothing_is_not_said) {
  EXPECT_EQ(constants_of(experts + "partial_rotary_factor: 1.0, router_aux_loss_coef: 0.0, "
                                   "router_z_loss_coef: 0, seq_aux: false, scoring_func: softmax, "
                                   "topk_method: greedy, routed_scaling_factor: 1.0"),
            "");
  EXPECT_EQ(constants_of(experts + "topk_method: group_limited_greedy, logits_scaling: 1.0"), "");
  EXPECT_EQ(constants_of(experts + "partial_rotary_factor: 0.5, router_z_loss_coef: 0.01, "
                                   "seq_aux: true, topk_method: noaux_tc, logits_scaling: 8.0"),
            "partial_rotary_factor 0.5\nseq_aux true\nrouter_z_loss_coef 0.01\n"
            "topk_method noaux_tc\nlogits_scaling 8\n");
  EXPECT_EQ(constants_of(llama + "router_aux_loss_coef: 0.001, rope_theta: 500000.0"),
            "rope_theta 500000\n");
  EXPECT_EQ(constants_of(gpt2 + "rope_theta: 500000.0, rope_scaling: {type: linear, factor: 2.0}, "
                                "layer_norm_epsilon: 1e-05"),
            "layer_norm_epsilon 1e-05\n");
}

// An MLP with a gate has silu, also called swish; one without has a kind of gelu.
TEST(ModelConstants, the_usual_activation_is_that_of_the_mlp) {
  EXPECT_EQ(constants_of(llama + "hidden_act: silu"), "");
  EXPECT_EQ(constants_of(llama + "hidden_act: swish"), "");
  EXPECT_EQ(constants_of(llama + "hidden_act: gelu"), "hidden_act gelu\n");
  EXPECT_EQ(constants_of(gpt2 + "activation_function: gelu_new"), "");
  EXPECT_EQ(constants_of(gpt2 + "activation_function: silu"), "activation_function silu\n");
}

TEST(ModelConstants, of_several_kinds_of_input_the_texts_are_said) {
  EXPECT_EQ(constants_of("model_type: llava, initializer_range: 0.01, rope_theta: 10000.0, "
                         "vision_config: {model_type: clip_vision_model, layer_norm_eps: 1e-05}, "
                         "text_config: {" +
                         llama + "rope_theta: 500000.0}"),
            "rope_theta 500000\ninitializer_range 0.01\n");
}

// The library called the kind of a stretched rotation `type` before `rope_type`.
TEST(ModelConstants, a_base_and_a_stretch_of_the_rotation_are_said_once) {
  EXPECT_EQ(constants_of(llama + "rope_scaling: {type: linear, factor: 2.0}"),
            "rope_scaling {type: linear, factor: 2}\n");
  EXPECT_EQ(constants_of(llama + "rope_theta: 20000, rope_parameters: {rope_theta: 30000, "
                                 "rope_type: default}"),
            "rope_theta 20000\n");
  EXPECT_EQ(constants_of(llama + "rope_parameters: {rope_theta: 30000, rope_type: linear, "
                                 "factor: 2.0}"),
            "rope_theta 30000\n"
            "rope_parameters {rope_theta: 30000, rope_type: linear, factor: 2}\n");
}

// A framework may have fields for some of them only.
TEST(ModelConstants, arguments_of_megatron_are_each_one) {
  EXPECT_EQ(constants_of("transformer: {layers: 2, hidden: 256, heads: 4, vocabulary: 1024}, "
                         "constants: {megatron_arguments: \"--softmax-type learnable --use-mup\"}"),
            "megatron_arguments --softmax-type learnable\nmegatron_arguments --use-mup\n");
}

}  // namespace
}  // namespace pipewright::test
