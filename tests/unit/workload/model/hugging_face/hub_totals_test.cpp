// Configurations of 2025 and 2026 (config.json of the repository named) against all parameters that
// the repository's safetensors hold ("total" of the Hub's safetensors metadata): text, tower and
// modules that predict further tokens.
#include <gtest/gtest.h>

#include "hugging_face.hpp"

namespace pipewright::test::hub_totals {
namespace {

struct Whole {
  const char* name;
  std::string json;
  double total;
  double copied = 0;  ///< of them: what a module that predicts has of the embedding and the head
};

std::string repeated(const std::string& items, int times) {
  std::string list;
  for (int k = 0; k < times; ++k) list += items;
  return list;
}

/// GLM-5.3 has an indexer in the first three blocks and in every fourth of the rest.
std::string glm_5() {
  const std::string shared = repeated(R"("shared",)", 3);
  return R"({"model_type": "glm_moe_dsa", "first_k_dense_replace": 3, "head_dim": 192,
      "hidden_size": 6144, "index_head_dim": 128, "index_n_heads": 32, "index_topk": 2048,
      "intermediate_size": 12288, "kv_lora_rank": 512, "max_position_embeddings": 1048576,
      "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
      "num_attention_heads": 64, "num_experts_per_tok": 8, "num_hidden_layers": 78,
      "num_key_value_heads": 64, "num_nextn_predict_layers": 1, "predict": 1, "q_lora_rank": 2048,
      "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "tie_word_embeddings": false,
      "v_head_dim": 256, "vocab_size": 154880, "indexer_types": [)" +
         repeated(R"("full",)", 3) + repeated(shared + R"("full",)", 18) +
         R"("shared","shared","shared"]})";
}

std::string glm_4(const char* rest) {
  return std::string(R"({"model_type": "glm4_moe", "attention_bias": true, "head_dim": 128,
      "max_position_embeddings": 131072, "num_attention_heads": 96, "n_shared_experts": 1,
      "num_experts_per_tok": 8, "num_key_value_heads": 8, "num_nextn_predict_layers": 1,
      "predict": 1, "tie_word_embeddings": false, "vocab_size": 151552, )") +
         rest;
}

std::string qwen_3_5(const char* type, const char* text, const char* vision) {
  return std::string(R"({"predict": 1, "model_type": ")") + type +
         R"(", "text_config": {"model_type": ")" + type +
         R"(_text", "attn_output_gate": true, "full_attention_interval": 4, "head_dim": 256,
      "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16,
      "linear_value_head_dim": 128, "max_position_embeddings": 262144, "mtp_num_hidden_layers": 1,
      "vocab_size": 248320, )" +
         text + R"(}, "vision_config": {"deepstack_visual_indexes": [], "in_channels": 3,
      "num_heads": 16, "num_position_embeddings": 2304, "patch_size": 16, "spatial_merge_size": 2,
      "temporal_patch_size": 2, "model_type": ")" +
         type + "\", " + vision + "}}";
}

std::string granite_4(const char* sizes, int layers) {
  return R"({"model_type": "granitemoehybrid", "num_local_experts": 0, "num_experts_per_tok": 0,
      "max_position_embeddings": 32768, "tie_word_embeddings": true, "vocab_size": 100352,
      "num_key_value_heads": 4, "num_hidden_layers": )" +
         std::to_string(layers) + R"(, "layer_types": [)" +
         repeated(R"("attention",)", layers - 1) + R"("attention"], )" + sizes;
}

const Whole published[] = {
    {"zai-org/GLM-5.3", glm_5(), 753329940480},
    {"zai-org/GLM-4.5",
     glm_4(R"("first_k_dense_replace": 3, "hidden_size": 5120, "intermediate_size": 12288,
      "moe_intermediate_size": 1536, "n_routed_experts": 160, "num_hidden_layers": 92,
      "use_qk_norm": true})"),
     358337791296, 2.0 * 151552 * 5120},
    {"zai-org/GLM-4.5-Air",
     glm_4(R"("first_k_dense_replace": 1, "hidden_size": 4096, "intermediate_size": 10944,
      "moe_intermediate_size": 1408, "n_routed_experts": 128, "num_hidden_layers": 46,
      "use_qk_norm": false})"),
     110468824832, 2.0 * 151552 * 4096},
    {"tencent/Hy3",
     R"({"model_type": "hy_v3", "first_k_dense_replace": 1, "head_dim": 128, "hidden_size": 4096,
      "intermediate_size": 13312, "max_position_embeddings": 262144,
      "moe_intermediate_size": 1536, "expert_hidden_dim": 1536, "num_attention_heads": 64,
      "num_experts": 192, "num_experts_per_tok": 8, "num_hidden_layers": 80,
      "num_key_value_heads": 8, "num_nextn_predict_layers": 1, "predict": 1,
      "num_shared_experts": 1, "qk_norm": true, "tie_word_embeddings": false,
      "vocab_size": 120832})",
     298786155776},
    {"Qwen/Qwen3.6-35B-A3B",
     qwen_3_5("qwen3_5_moe", R"("hidden_size": 2048, "linear_num_value_heads": 32,
      "moe_intermediate_size": 512, "num_attention_heads": 16, "num_experts": 256,
      "num_experts_per_tok": 8, "num_hidden_layers": 40, "num_key_value_heads": 2,
      "shared_expert_intermediate_size": 512, "tie_word_embeddings": false)",
              R"("depth": 27, "hidden_size": 1152, "intermediate_size": 4304,
      "out_hidden_size": 2048)"),
     35951822704},
    {"Qwen/Qwen3.6-27B",
     qwen_3_5("qwen3_5", R"("hidden_size": 5120, "intermediate_size": 17408,
      "linear_num_value_heads": 48, "num_attention_heads": 24, "num_hidden_layers": 64,
      "num_key_value_heads": 4, "tie_word_embeddings": false)",
              R"("depth": 27, "hidden_size": 1152, "intermediate_size": 4304,
      "out_hidden_size": 5120)"),
     27781427952},
    {"Qwen/Qwen3.5-9B",
     qwen_3_5("qwen3_5", R"("hidden_size": 4096, "intermediate_size": 12288,
      "linear_num_value_heads": 32, "num_attention_heads": 16, "num_hidden_layers": 32,
      "num_key_value_heads": 4, "tie_word_embeddings": false)",
              R"("depth": 27, "hidden_size": 1152, "intermediate_size": 4304,
      "out_hidden_size": 4096)"),
     9653104368},
    {"nvidia/NVIDIA-Nemotron-Nano-9B-v2",
     R"({"model_type": "nemotron_h", "conv_kernel": 4, "expand": 2, "head_dim": 128,
      "hidden_size": 4480, "intermediate_size": 15680, "mamba_head_dim": 80,
      "mamba_num_heads": 128, "max_position_embeddings": 131072, "mlp_hidden_act": "relu2",
      "n_groups": 8, "num_attention_heads": 40, "num_hidden_layers": 56,
      "num_key_value_heads": 8, "ssm_state_size": 128, "tie_word_embeddings": false,
      "vocab_size": 131072, "hybrid_override_pattern":
      "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-"})",
     8888227328},
    {"microsoft/Phi-4-mini-instruct",
     R"({"model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192,
      "max_position_embeddings": 131072, "num_attention_heads": 24, "num_hidden_layers": 32,
      "num_key_value_heads": 8, "sliding_window": 262144, "tie_word_embeddings": true,
      "vocab_size": 200064})",
     3836021760},
    {"mistralai/Ministral-3-3B-Instruct-2512",
     R"({"model_type": "mistral3", "multimodal_projector_bias": false, "spatial_merge_size": 2,
      "tie_word_embeddings": true, "text_config": {"model_type": "ministral3", "head_dim": 128,
      "hidden_size": 3072, "intermediate_size": 9216, "max_position_embeddings": 262144,
      "num_attention_heads": 32, "num_hidden_layers": 26, "num_key_value_heads": 8,
      "tie_word_embeddings": true, "vocab_size": 131072}, "vision_config": {"head_dim": 64,
      "hidden_size": 1024, "image_size": 1540, "intermediate_size": 4096,
      "model_type": "pixtral", "num_attention_heads": 16, "num_hidden_layers": 24,
      "patch_size": 14}})",
     3849090048},
    {"ibm-granite/granite-4.0-350m",
     granite_4(R"("hidden_size": 1024, "num_attention_heads": 16,
      "shared_intermediate_size": 2048, "intermediate_size": 2048})",
               28),
     352379904},
    {"ibm-granite/granite-4.0-1b",
     granite_4(R"("hidden_size": 2048, "num_attention_heads": 16,
      "shared_intermediate_size": 4096, "intermediate_size": 4096})",
               40),
     1631750144},
};

TEST(HubTotals, are_those_of_the_models_that_are_read) {
  for (const Whole& model : published) {
    const bool sees = model.json.find("vision_config") != std::string::npos;
    const double ours = sees ? parameters_with_images(model.json, 448) : parameters_of(model.json);
    EXPECT_NEAR(ours / (model.total - model.copied), 1, 0.001)
        << model.name << ": " << std::fixed << ours << " of " << model.total;
  }
}

// What the classes of families without a published total make, by hand: transformers'
// modular_TYPE.py. h, f and v are small.
constexpr double h = 64, f = 256, v = 1000, blocks = 4;

std::string small(const std::string& type, const std::string& more) {
  return R"({"model_type": ")" + type + R"(", "hidden_size": 64, "intermediate_size": 256,
      "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2,
      "head_dim": 16, "max_position_embeddings": 2048, "vocab_size": 1000)" +
         more + "}";
}

TEST(HubTotals, families_without_one_have_the_parameters_of_their_classes) {
  const double attention = attention_weights(h, 4, 2, 16), outside = 2 * v * h + h;
  const double mlp = mlp_weights(h, f);
  EXPECT_DOUBLE_EQ(parameters_of(small("cwm", "")), outside + blocks * (attention + mlp + 2 * h));
  EXPECT_DOUBLE_EQ(parameters_of(small("hyperclovax", R"(, "use_post_norm": true)")),
                   outside + blocks * (attention + mlp + 4 * h));
  EXPECT_DOUBLE_EQ(parameters_of(small("vaultgemma", "")),
                   outside - v * h + blocks * (attention + mlp + 2 * h));
  // Norms of all heads together; a router beside its experts.
  EXPECT_DOUBLE_EQ(
      parameters_of(small("flex_olmo", R"(, "num_experts": 7, "num_experts_per_tok": 5)")),
      outside + blocks * (attention + expert_weights(h, 7, f) + 2 * h + h + h / 2));
  // Two products and a bias of each; norms with one, too.
  const double biases = (4 + 2 * 2) * 16 + h + f + h;
  EXPECT_DOUBLE_EQ(parameters_of(small("jais2", "")),
                   outside + h + blocks * (attention + 2 * h * f + biases + 4 * h));
}

// Queries through a rank of 32, keys and values through 16 with 8 rotated: every block has experts.
TEST(HubTotals, mistral_4_has_latent_attention_and_experts) {
  const double latent =
      h * 32 + 32 + 32 * 4 * (16 + 8) + h * (16 + 8) + 16 + 16 * 4 * (16 + 16) + 4 * 16 * h;
  const double expert = expert_weights(h, 8, 32) + mlp_weights(h, 32);
  EXPECT_DOUBLE_EQ(
      parameters_of(small("mistral4", R"(, "n_routed_experts": 8, "num_experts_per_tok": 2,
      "moe_intermediate_size": 32, "q_lora_rank": 32, "kv_lora_rank": 16, "qk_nope_head_dim": 16,
      "qk_rope_head_dim": 8, "v_head_dim": 16)")),
      2 * v * h + h + blocks * (latent + expert + 2 * h));
}

}  // namespace
}  // namespace pipewright::test::hub_totals
