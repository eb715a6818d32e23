#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hugging_face.hpp"
#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

TEST(Families, each_has_a_name_of_its_own) {
  std::set<std::string_view> types;
  for (const Family& family : families()) EXPECT_TRUE(types.insert(family.type).second);
}

TEST(Families, none_is_both_known_and_not_modelled) {
  for (const Unmodelled& other : unmodelled())
    for (const Family& family : families()) EXPECT_NE(family.type, other.type);
}

TEST(Families, the_nearest_of_one_that_is_not_modelled_is) {
  for (const Unmodelled& other : unmodelled()) {
    const auto is_it = [&](const Family& family) { return family.type == other.nearest; };
    EXPECT_TRUE(std::ranges::any_of(families(), is_it)) << other.type;
  }
}

/// What only some families need.
std::string keys_of(std::string_view type) {
  constexpr const char* block = R"({"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 6}})";
  if (type == "kimi_linear" || type == "kimi_k3")
    return R"("linear_attn_config": {"kda_layers": [1, 2, 3], "num_heads": 4, "head_dim": 8})";
  if (type == "gemma4") return R"("hidden_size_per_layer_input": 0)";
  if (type == "gemma3n") return R"("num_kv_shared_layers": 2)";
  if (type == "mimo_v2_flash")
    return R"("hybrid_layer_pattern": [0, 1, 1, 1], "sliding_window": 8)";
  if (type == "dbrx")
    return R"("ffn_config": {"moe_num_experts": 4, "moe_top_k": 1, "ffn_hidden_size": 64})";
  if (type == "step3p5" || type == "step3p7")
    return R"("layer_types": ["full_attention", "sliding_attention", "sliding_attention",
        "sliding_attention"], "sliding_window": 8, "moe_top_k": 1, "moe_intermediate_size": 16)";
  if (type == "whisper") return R"("decoder_layers": 2)";
  if (type == "mamba2")
    return R"("num_heads": 2, "n_groups": 1)";  // of 64, as expand x hidden_size has them
  if (type == "longcat_flash") return R"("num_layers": 2)";
  if (type == "nemotron-nas") return fmt::format(R"("block_configs": [{0}, {0}, {0}, {0}])", block);
  return R"("hidden_act": "silu")";
}

/// A small configuration with every key that the family needs.
std::string small(const Family& family) {
  std::string text = R"({"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 8,
      "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 64,
      "hybrid_override_pattern": "M*-E", "attn_type_list": [0, 0, 0, 1], "num_experts_per_tok": 1)";
  if (family.type != "mamba2") text += R"(, "num_heads": 8)";
  if (family.type != "whisper") text += R"(, "n_routed_experts": 4)";  // its decoder has none
  if (!family.experts.empty() && family.experts != "n_routed_experts")
    text += ", \"" + std::string(family.experts) + "\": 4";
  if (family.latent)
    text += R"(, "kv_lora_rank": 16, "q_lora_rank": 16, "qk_nope_head_dim": 8,
        "qk_rope_head_dim": 4, "v_head_dim": 8)";
  return text + ", " + keys_of(family.type) + ", \"model_type\": \"" + std::string(family.type) +
         "\"}";
}

TEST(Families, each_becomes_layers) {
  for (const Family& family : families()) {
    ASSERT_NO_THROW(test::hugging_face(small(family))) << family.type;
    const Model model = test::hugging_face(small(family));
    const auto layers = model_layers(model, {.sequence = 64}, {});
    const auto of_decoder = static_cast<size_t>(model.transformer.decoder.layers);
    EXPECT_EQ(layers.size(), 6 + of_decoder) << family.type;
    EXPECT_GT(test::flops(layers, &Layer::forward), 0) << family.type;
    EXPECT_DOUBLE_EQ(test::device_parameters(layers), test::parameters(layers)) << family.type;
  }
}

}  // namespace
}  // namespace pipewright::hugging_face
