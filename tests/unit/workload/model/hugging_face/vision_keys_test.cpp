// Published configurations of models of images and text (config.json of the repository named),
// against the parameters that the repository's safetensors hold: tower, projector and text.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

struct WithImages {
  const char* name;
  const char* json;
  int64_t size;  ///< of an image, in pixels; 0: the model's
  double parameters;
  double left_out = 0;  ///< of them
};

constexpr WithImages models_with_images[] = {
    {"google/gemma-3-4b-it",
     R"({"model_type": "gemma3", "mm_tokens_per_image": 256, "text_config": {"hidden_size": 2560,
      "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34,
      "sliding_window": 1024}, "vision_config": {"hidden_size": 1152, "image_size": 896,
      "intermediate_size": 4304, "model_type": "siglip_vision_model", "num_attention_heads": 16,
      "num_hidden_layers": 27, "patch_size": 14, "vision_use_head": false}})",
     0, 4300079472},
    {"Qwen/Qwen2-VL-7B-Instruct",
     R"({"model_type": "qwen2_vl", "hidden_size": 3584, "intermediate_size": 18944,
      "max_position_embeddings": 32768, "max_window_layers": 28, "num_attention_heads": 28,
      "num_hidden_layers": 28, "num_key_value_heads": 4, "sliding_window": 32768,
      "tie_word_embeddings": false, "use_sliding_window": false, "vocab_size": 152064,
      "vision_config": {"depth": 32, "embed_dim": 1280, "mlp_ratio": 4, "num_heads": 16,
      "in_chans": 3, "hidden_size": 3584, "patch_size": 14, "spatial_merge_size": 2,
      "spatial_patch_size": 14, "temporal_patch_size": 2}})",
     448, 8291375616},
    {"Qwen/Qwen2.5-VL-7B-Instruct",
     R"({"model_type": "qwen2_5_vl", "hidden_size": 3584, "intermediate_size": 18944,
      "max_position_embeddings": 128000, "max_window_layers": 28, "num_attention_heads": 28,
      "num_hidden_layers": 28, "num_key_value_heads": 4, "tie_word_embeddings": false,
      "use_sliding_window": false, "vocab_size": 152064, "vision_config": {"depth": 32,
      "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16, "in_chans": 3,
      "out_hidden_size": 3584, "patch_size": 14, "spatial_merge_size": 2, "window_size": 112,
      "fullatt_block_indexes": [7, 15, 23, 31], "temporal_patch_size": 2}})",
     448, 8292166656},
    {"Qwen/Qwen3-VL-8B-Instruct",
     R"({"model_type": "qwen3_vl", "tie_word_embeddings": false, "text_config": {"head_dim": 128,
      "hidden_size": 4096, "intermediate_size": 12288, "max_position_embeddings": 262144,
      "model_type": "qwen3_vl_text", "num_attention_heads": 32, "num_hidden_layers": 36,
      "num_key_value_heads": 8, "vocab_size": 151936}, "vision_config": {
      "deepstack_visual_indexes": [8, 16, 24], "depth": 27, "hidden_size": 1152, "in_channels": 3,
      "intermediate_size": 4304, "model_type": "qwen3_vl", "num_heads": 16,
      "num_position_embeddings": 2304, "out_hidden_size": 4096, "patch_size": 16,
      "spatial_merge_size": 2, "temporal_patch_size": 2}})",
     448, 8767123696},
    {"mistralai/Mistral-Small-3.1-24B-Instruct-2503",
     R"({"model_type": "mistral3", "multimodal_projector_bias": false, "spatial_merge_size": 2,
      "text_config": {"head_dim": 128, "hidden_size": 5120, "intermediate_size": 32768,
      "max_position_embeddings": 131072, "model_type": "mistral", "num_attention_heads": 32,
      "num_hidden_layers": 40, "num_key_value_heads": 8, "sliding_window": null,
      "vocab_size": 131072}, "vision_config": {"head_dim": 64, "hidden_size": 1024,
      "image_size": 1540, "intermediate_size": 4096, "model_type": "pixtral",
      "num_attention_heads": 16, "num_hidden_layers": 24, "patch_size": 14}})",
     448, 24011361280},
    {"llava-hf/llava-1.5-7b-hf",
     R"({"model_type": "llava", "text_config": {"model_type": "llama",
      "max_position_embeddings": 4096, "vocab_size": 32064}, "vision_config": {
      "hidden_size": 1024, "image_size": 336, "intermediate_size": 4096,
      "model_type": "clip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 24,
      "patch_size": 14, "projection_dim": 768}, "tie_word_embeddings": false})",
     0, 7063427072},
    {"meta-llama/Llama-4-Scout-17B-16E-Instruct",
     R"({"model_type": "llama4", "tie_word_embeddings": false, "text_config": {
      "model_type": "llama4_text", "num_local_experts": 16, "interleave_moe_layer_step": 1},
      "vision_config": {"hidden_size": 1408, "image_size": 336, "intermediate_size": 5632,
      "model_type": "llama4_vision_model", "num_attention_heads": 16, "num_hidden_layers": 34,
      "patch_size": 14, "pixel_shuffle_ratio": 0.5, "projector_input_dim": 4096,
      "projector_output_dim": 4096, "vision_output_dim": 4096}})",
     0, 108641793536},
    {"google/paligemma-3b-pt-224",
     R"({"model_type": "paligemma", "vocab_size": 257216, "text_config": {"hidden_size": 2048,
      "intermediate_size": 16384, "model_type": "gemma", "num_attention_heads": 8,
      "num_hidden_layers": 18, "num_key_value_heads": 1, "num_image_tokens": 256,
      "vocab_size": 257216}, "vision_config": {"hidden_size": 1152, "intermediate_size": 4304,
      "model_type": "siglip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 27,
      "num_image_tokens": 256, "patch_size": 14, "projection_dim": 2048}})",
     0, 2923466480},
    {"HuggingFaceTB/SmolVLM-256M-Instruct",
     R"({"model_type": "idefics3", "scale_factor": 4, "tie_word_embeddings": false, "text_config":
      {"model_type": "llama", "hidden_size": 576, "intermediate_size": 1536,
      "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3, "head_dim": 64,
      "max_position_embeddings": 8192, "vocab_size": 49280, "tie_word_embeddings": false},
      "vision_config": {"hidden_size": 768, "image_size": 512, "model_type": "idefics3",
      "num_attention_heads": 12, "patch_size": 16}})",
     0, 256484928},
    // Two scales for each number of a block are InternVL's alone.
    {"OpenGVLab/InternVL2_5-8B",
     R"({"model_type": "internvl_chat", "downsample_ratio": 0.5, "select_layer": -1, "llm_config":
      {"model_type": "internlm2", "hidden_size": 4096, "intermediate_size": 14336,
      "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "bias": false,
      "max_position_embeddings": 32768, "vocab_size": 92553, "tie_word_embeddings": false},
      "vision_config": {"model_type": "intern_vit_6b", "hidden_size": 1024, "image_size": 448,
      "intermediate_size": 4096, "norm_type": "layer_norm", "num_attention_heads": 16,
      "num_hidden_layers": 24, "patch_size": 14, "qk_normalization": false, "qkv_bias": true}})",
     0, 8075365376, 24 * 2 * 1024},
    // Of the numbers that are left out 26 x 64 are added to the scores of experts; what the others
    // are is not known.
    {"moonshotai/Kimi-VL-A3B-Instruct",
     R"({"model_type": "kimi_vl", "text_config": {"model_type": "deepseek_v3", "hidden_size": 2048,
      "intermediate_size": 11264, "moe_intermediate_size": 1408, "num_hidden_layers": 27,
      "num_attention_heads": 16, "num_key_value_heads": 16, "n_shared_experts": 2,
      "n_routed_experts": 64, "num_experts_per_tok": 6, "kv_lora_rank": 512, "q_lora_rank": null,
      "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
      "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1, "tie_word_embeddings": false,
      "max_position_embeddings": 131072, "vocab_size": 163840}, "vision_config": {"model_type":
      "moonvit", "hidden_size": 1152, "intermediate_size": 4304, "num_attention_heads": 16,
      "num_hidden_layers": 27, "patch_size": 14, "merge_kernel_size": [2, 2],
      "init_pos_emb_height": 64, "init_pos_emb_width": 64}})",
     448, 16407657776, 3392},
};

TEST(VisionKeys, each_has_the_parameters_that_were_published) {
  for (const WithImages& model : models_with_images)
    EXPECT_DOUBLE_EQ(parameters_with_images(model.json, model.size),
                     model.parameters - model.left_out)
        << model.name;
}

VisionTower tower_of(const WithImages& model) {
  return *hugging_face(model.json).transformer.vision;
}

// 896 pixels are 64 x 64 patches, of which 4 x 4 are averaged; 336 are 24 x 24, of which 2 x 2
// stand side by side.
TEST(VisionKeys, an_image_is_as_many_tokens_as_the_library_makes) {
  EXPECT_EQ(tower_of(models_with_images[0]).tokens(896), 256);
  EXPECT_EQ(tower_of(models_with_images[5]).tokens(336), 576);
  EXPECT_EQ(tower_of(models_with_images[6]).tokens(336), 144);
}

// Windows of 112 pixels are 8 x 8 patches; four blocks see all.
TEST(VisionKeys, qwen2_5_vl_sees_windows) {
  const TransformerShape blocks = *tower_of(models_with_images[2]).blocks;
  EXPECT_EQ(blocks.attention.window, 64);
  for (int64_t block = 0; block < 32; ++block)
    EXPECT_EQ(blocks.mixer(block), block % 8 == 7 ? Mixer::full : Mixer::chunked);
}

TEST(VisionKeys, without_images_a_model_is_its_text) {
  EXPECT_LT(parameters_of(models_with_images[1].json), 7.62e9);
  EXPECT_TRUE(hugging_face(models_with_images[1].json).left_out.empty());
}

TEST(VisionKeys, a_tower_that_is_not_known_is_left_out) {
  const Model model = hugging_face(R"({"model_type": "some_vl", "text_config": {"model_type":
      "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
      "vocab_size": 100}, "vision_config": {"hidden_size": 32}})");
  EXPECT_FALSE(model.transformer.vision);
  EXPECT_EQ(model.left_out, "the model's text part only: what vision_config describes is left out");
}

// 12 heads, which the class takes, do not divide a width of 256.
TEST(VisionKeys, a_tower_that_lacks_something_is_left_out) {
  const Model model = hugging_face(R"({"model_type": "gemma3", "text_config": {"model_type":
      "gemma3_text", "hidden_size": 64}, "vision_config": {"model_type": "siglip_vision_model",
      "hidden_size": 256}})");
  EXPECT_FALSE(model.transformer.vision);
  EXPECT_NE(model.left_out.find("vision_config"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
