#include "convert/megatron/read_constants.hpp"

#include <gtest/gtest.h>

#include "flags_of.hpp"

namespace pipewright::test {
namespace {

std::string constants_of(const std::string& arguments, const std::string& transformer) {
  FlagsOf given(arguments);
  const config::Value read =
      megatron::read_constants(*given.flags, config::parse("{" + transformer + "}", "t.yaml"));
  return read.is_null() ? "" : config::to_yaml(read);
}

TEST(MegatronReadConstants, are_named_as_hugging_face_names_them) {
  EXPECT_EQ(constants_of("--rotary-base 500000 --norm-epsilon 1e-5 --init-method-std 0.008",
                         "norm: rmsnorm"),
            "rope_theta: 500000\nrms_norm_eps: 1e-5\ninitializer_range: 0.008\n");
  EXPECT_EQ(constants_of("--layernorm-epsilon 1e-6", "norm: layernorm"), "layer_norm_eps: 1e-6\n");
  EXPECT_EQ(constants_of("--num-layers 2", "norm: rmsnorm"), "");
}

// megatron/core/models/common/embeddings/rotary_pos_embedding.py: low 1, high 4, 8192 positions,
// and a factor of 8 where nobody says it.
TEST(MegatronReadConstants, llama_3_1_stretches_its_rotation_by_constants_of_the_source) {
  EXPECT_EQ(constants_of("--use-rope-scaling", "norm: rmsnorm"),
            "rope_scaling:\n  rope_type: llama3\n  factor: 8\n  low_freq_factor: 1\n"
            "  high_freq_factor: 4\n  original_max_position_embeddings: 8192\n");
  EXPECT_EQ(constants_of("--rotary-seq-len-interpolation-factor 4", "norm: rmsnorm"),
            "rope_scaling:\n  rope_type: linear\n  factor: 4\n");
}

TEST(MegatronReadConstants, latent_attention_has_yarns) {
  const std::string yarn = "--rotary-scaling-factor 40 --mscale 1.0";
  EXPECT_EQ(constants_of(yarn, "latent: {query: 8}"),
            "rope_scaling:\n  factor: 40\n  mscale: 1.0\n  rope_type: yarn\n");
  EXPECT_EQ(constants_of(yarn, "norm: rmsnorm"),
            "megatron_arguments: \"--rotary-scaling-factor 40 --mscale 1.0\"\n");
}

TEST(MegatronReadConstants, without_a_name_there_are_carried_as_they_are) {
  EXPECT_EQ(constants_of("--apply-layernorm-1p --embedding-init-method-std 0.1 --lr 1e-4",
                         "norm: layernorm"),
            "megatron_arguments: \"--apply-layernorm-1p --embedding-init-method-std 0.1\"\n");
  // Nobody knows the value.
  EXPECT_EQ(constants_of("--init-method-std $STD", "norm: layernorm"), "");
}

// gpt-oss has sinks, and the products of its experts are clamped.
TEST(MegatronReadConstants, what_costs_little_belongs_to_the_model_all_the_same) {
  EXPECT_EQ(constants_of("--softmax-type learnable --glu-linear-offset 1.0 "
                         "--activation-func-clamp-value 7.0 --rotary-interleaved",
                         "norm: rmsnorm"),
            "megatron_arguments: \"--softmax-type learnable --glu-linear-offset 1.0 "
            "--activation-func-clamp-value 7.0 --rotary-interleaved\"\n");
  EXPECT_EQ(constants_of("--no-rope-freq '([1,1,1,0]*12)'", "norm: rmsnorm"),
            "megatron_arguments: \"--no-rope-freq ([1,1,1,0]*12)\"\n");
}

// Transformer Engine: gradients have the range of e5m2 under scales of whole tensors.
TEST(MegatronReadConstants, a_format_of_fp8_is_said_where_it_is_not_the_usual_one) {
  EXPECT_EQ(constants_of("--fp8-format e4m3", "norm: rmsnorm"), "fp8_format: e4m3\n");
  EXPECT_EQ(constants_of("--fp8-format hybrid", "norm: rmsnorm"), "");
  EXPECT_EQ(constants_of("--fp8-format e4m3 --fp8-recipe mxfp8", "norm: rmsnorm"), "");
  EXPECT_EQ(constants_of("--fp8-format hybrid --fp8-recipe blockwise", "norm: rmsnorm"),
            "fp8_format: hybrid\n");
  EXPECT_EQ(constants_of("--fp8-e4m3", "norm: rmsnorm"), "fp8_format: e4m3\n");
}

// A model without experts has no router, and a sigmoid's shares always have a sum of one.
TEST(MegatronReadConstants, a_router_is_one_of_experts) {
  const std::string router = "--moe-router-score-function sigmoid --moe-aux-loss-coeff 0.1 ";
  EXPECT_EQ(constants_of(router, "norm: rmsnorm"), "");
  EXPECT_EQ(constants_of(router + "--moe-router-pre-softmax", "experts: {count: 8}")
                .find("norm_topk_prob"),
            std::string::npos);
  EXPECT_EQ(constants_of("--moe-router-pre-softmax", "experts: {count: 8}"),
            "norm_topk_prob: false\n");
  EXPECT_EQ(constants_of("--rotary-percent 1.0 --rope-scaling-factor 1.0", "norm: rmsnorm"), "");
}

// DeepSeek-V3's, and Nemotron-4's activation.
TEST(MegatronReadConstants, words_and_flags_are_choices_of_the_library) {
  EXPECT_EQ(constants_of("--squared-relu", "norm: layernorm"), "hidden_act: relu2\n");
  EXPECT_EQ(constants_of("--moe-router-load-balancing-type seq_aux_loss "
                         "--moe-router-score-function sigmoid --moe-router-enable-expert-bias",
                         "norm: rmsnorm, experts: {count: 8}"),
            "seq_aux: true\nscoring_func: sigmoid\ntopk_method: noaux_tc\n");
  EXPECT_EQ(constants_of("--moe-router-load-balancing-type aux_loss", "experts: {count: 8}"), "")
      << "it is Megatron-LM's default";
  EXPECT_EQ(constants_of("--moe-router-score-function sqrtsoftplus", "norm: rmsnorm"),
            "megatron_arguments: \"--moe-router-score-function sqrtsoftplus\"\n");
}

}  // namespace
}  // namespace pipewright::test
