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

}  // namespace
}  // namespace pipewright::hugging_face
