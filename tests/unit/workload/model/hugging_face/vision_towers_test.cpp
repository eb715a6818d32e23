// Towers as the library's classes have them, by hand: configurations that leave much out, and the
// rows of the table that no published configuration of vision_keys_test.cpp asks for.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "hugging_face.hpp"
#include "workload/model/hugging_face/vision_tower.hpp"

namespace pipewright::hugging_face {
namespace {

/// The tower of a configuration of this model_type in front of a text of width 64.
std::optional<VisionTower> tower_of(std::string_view type, const std::string& vision) {
  return test::hugging_face(R"({"model_type": ")" + std::string(type) + R"(", "text_config": {
      "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
      "vocab_size": 100}, "vision_config": )" +
                            vision + "}")
      .transformer.vision;
}

// Else it would never be found.
TEST(VisionTowers, none_stands_behind_one_that_fits_in_its_place) {
  for (const Tower& one : towers()) {
    int fitting = 0;
    for (const Tower& other : towers()) {
      const bool alike = one.type.empty() || other.type.empty() || one.type == other.type;
      if (other.model == one.model && alike) ++fitting;
    }
    EXPECT_EQ(fitting, 1) << one.model;
  }
}

struct Class {
  const char* type;    ///< of the whole
  const char* vision;  ///< vision_config
  int64_t layers, hidden, ffn, heads, side;
  int64_t positions, size, tokens;  ///< of an image so wide
  int64_t deep = 0;
};

// Positions: 224 / 16 = 14, 224 / 32 = 7, 448 / 14 = 32, 448 / 16 = 28 in a row, and one more for a
// class token; Gemma 4 has 10240 for columns and for lines, Qwen 3 48 x 48. Tokens: Gemma 4 pools 3
// x 3 patches, Llama 4, Qwen and Idefics merge 2 x 2: 448 / 28 = 16 and 448 / 32 = 14 squares in a
// row. Qwen 3.5 has no projectors of blocks within the tower.
constexpr Class classes[] = {
    {"gemma4", "{}", 16, 768, 3072, 12, 16, 20480, 768, 256},
    {"llama4", "{}", 34, 768, 5632, 16, 14, 1025, 448, 256},
    {"qwen2_vl", "{}", 32, 1280, 5120, 16, 14, 0, 448, 256},
    {"qwen3_vl_moe", "{}", 27, 1152, 4304, 16, 16, 2304, 448, 196, 3},
    {"qwen3_5", "{}", 27, 1152, 4304, 16, 16, 2304, 448, 196},
    {"qwen3_5_moe", "{}", 27, 1152, 4304, 16, 16, 2304, 448, 196},
    {"llava", R"({"model_type": "pixtral"})", 24, 1024, 4096, 16, 16, 0, 224, 196},
    {"llava_next", R"({"model_type": "clip_vision_model"})", 12, 768, 3072, 12, 32, 50, 224, 49},
    {"paligemma", "{}", 12, 768, 3072, 12, 16, 196, 224, 196},
    {"smolvlm", R"({"image_size": 448, "patch_size": 16})", 12, 1152, 3072, 16, 16, 784, 448, 196},
};

TEST(VisionTowers, each_has_what_its_class_takes_where_a_file_is_silent) {
  for (const Class& one : classes) {
    const auto tower = tower_of(one.type, one.vision);
    ASSERT_TRUE(tower) << one.type;
    EXPECT_EQ(tower->blocks->layers, one.layers) << one.type;
    EXPECT_EQ(tower->blocks->hidden, one.hidden) << one.type;
    EXPECT_EQ(tower->blocks->ffn, one.ffn) << one.type;
    EXPECT_EQ(tower->blocks->attention.heads, one.heads) << one.type;
    EXPECT_EQ(tower->patches.side, one.side) << one.type;
    EXPECT_EQ(tower->patches.positions, one.positions) << one.type;
    EXPECT_EQ(tower->tokens(one.size), one.tokens) << one.type;
    EXPECT_EQ(tower->projector.deep, one.deep) << one.type;
  }
}

// Their classes are not the library's: nothing is filled in. Kimi K2.5 calls all of the blocks'
// keys vt_.
TEST(VisionTowers, internvl_and_kimi_have_what_their_files_say) {
  for (const char* type : {"internvl_chat", "kimi_vl", "kimi_k25"})
    EXPECT_FALSE(tower_of(type, "{}")) << type;
  const auto kimi = tower_of("kimi_k25", R"({"vt_hidden_size": 32, "vt_intermediate_size": 80,
      "vt_num_attention_heads": 4, "vt_num_hidden_layers": 3, "patch_size": 14,
      "init_pos_emb_height": 8, "init_pos_emb_width": 6, "merge_kernel_size": [2, 2]})");
  ASSERT_TRUE(kimi);
  EXPECT_EQ(kimi->blocks->layers, 3);
  EXPECT_EQ(kimi->blocks->ffn, 80);
  EXPECT_EQ(kimi->patches.positions, 48);
  EXPECT_EQ(kimi->projector.widths, std::vector<int64_t>{4 * 32});
}

// LlavaConfig takes CLIP where a file names no class.
TEST(VisionTowers, of_a_llava_that_names_none_is_clip) {
  const auto tower = tower_of("llava", "{}");
  ASSERT_TRUE(tower);
  EXPECT_TRUE(tower->patches.class_token);
}

// LLaVA's projector is the same behind both: to the text's width, and once more.
TEST(VisionTowers, of_two_in_front_of_a_family_the_type_chooses) {
  const auto pixtral = tower_of("llava", R"({"model_type": "pixtral"})");
  const auto clip = tower_of("llava", R"({"model_type": "clip_vision_model"})");
  ASSERT_TRUE(pixtral && clip);
  EXPECT_TRUE(pixtral->blocks->gated);
  EXPECT_EQ(pixtral->blocks->positions, Positions::rope);
  EXPECT_FALSE(pixtral->patches.class_token);
  EXPECT_FALSE(clip->blocks->gated);
  EXPECT_EQ(clip->blocks->positions, Positions::none);
  EXPECT_TRUE(clip->patches.class_token);
  for (const auto& tower : {pixtral, clip}) {
    EXPECT_EQ(tower->projector.widths, std::vector<int64_t>{64});
    EXPECT_TRUE(tower->projector.bias);
  }
  EXPECT_FALSE(tower_of("llava", R"({"model_type": "siglip_vision_model"})"));
}

struct WithTower {
  const char* name;
  std::string json;
  double total;  ///< of the repository's safetensors
  int64_t image;
};

// Both hold the tower: 892,498,432 of the first are its, as Glm4vVisionModel has them.
const WithTower glm_models[] = {
    {"zai-org/GLM-4.1V-9B-Thinking",
     R"({"model_type": "glm4v", "text_config": {"model_type": "glm4v_text",
      "attention_bias": true, "hidden_size": 4096, "intermediate_size": 13696,
      "max_position_embeddings": 65536, "num_attention_heads": 32, "num_hidden_layers":
      40, "num_key_value_heads": 2, "vocab_size": 151552, "partial_rotary_factor": 0.5,
      "tie_word_embeddings": false}, "tie_word_embeddings": false, "vision_config":
      {"depth": 24, "hidden_size": 1536, "image_size": 336, "in_channels": 3,
      "intermediate_size": 13696, "num_heads": 12, "out_hidden_size": 4096, "patch_size":
      14, "spatial_merge_size": 2, "temporal_patch_size": 2, "attention_bias": false,
      "model_type": "glm4v_vision"}})",
     10292777472, 448},
    {"zai-org/GLM-4.5V",
     R"({"model_type": "glm4v_moe", "text_config": {"model_type": "glm4v_moe_text",
      "attention_bias": true, "first_k_dense_replace": 1, "hidden_size": 4096,
      "intermediate_size": 10944, "max_position_embeddings": 65536,
      "moe_intermediate_size": 1408, "n_group": 1, "n_routed_experts": 128,
      "n_shared_experts": 1, "num_attention_heads": 96, "num_experts_per_tok": 8,
      "num_hidden_layers": 46, "num_key_value_heads": 8, "head_dim": 128, "vocab_size":
      151552, "use_qk_norm": false}, "tie_word_embeddings": false, "vision_config":
      {"depth": 24, "hidden_size": 1536, "image_size": 336, "in_channels": 3,
      "intermediate_size": 10944, "num_heads": 12, "out_hidden_size": 4096, "patch_size":
      14, "spatial_merge_size": 2, "temporal_patch_size": 2, "attention_bias": false,
      "model_type": "glm4v_moe"}})",
     107710933120, 448},
};

TEST(VisionTowers, of_glm_have_what_was_published) {
  for (const WithTower& model : glm_models)
    EXPECT_NEAR(test::parameters_with_images(model.json, model.image) / model.total, 1, 1e-6)
        << model.name;
}

// Qwen3-Omni's thinker sees by the tower of Qwen3-VL.
TEST(VisionTowers, of_a_thinker_are_found_in_it) {
  const std::string text = R"({"model_type": "qwen3_omni_moe_text", "hidden_size": 64,
      "num_hidden_layers": 2, "num_attention_heads": 4, "num_experts": 4, "num_experts_per_tok": 2,
      "moe_intermediate_size": 32, "max_position_embeddings": 4096, "vocab_size": 100})";
  const std::string inside = R"("text_config": )" + text + R"(, "vision_config": {})";
  const auto thinker = test::hugging_face(R"({"model_type": "qwen3_omni_moe", "thinker_config":
      {"model_type": "qwen3_omni_moe_thinker", )" +
                                          inside + "}}")
                           .transformer.vision;
  const auto alone =
      test::hugging_face(R"({"model_type": "qwen3_vl_moe", )" + inside + "}").transformer.vision;
  ASSERT_TRUE(thinker && alone);
  EXPECT_EQ(thinker->projector.deep, alone->projector.deep);
  EXPECT_EQ(thinker->blocks->layers, alone->blocks->layers);
}

}  // namespace
}  // namespace pipewright::hugging_face
