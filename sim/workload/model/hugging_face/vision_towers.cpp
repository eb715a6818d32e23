// Vision towers, each as its library's configuration and modelling files have it
// (github.com/huggingface/transformers, src/transformers/models/TYPE/; InternVL, Kimi-VL and Kimi
// K2.5: the modelling files beside the weights). What a class takes for keys that a file leaves out
// is the fourth of a row. InternVL's layer scales are left out: a number for each of a block's.
#include "workload/model/hugging_face/vision_tower.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr const char* siglip_tower =
    "{norm: layernorm, bias: true, dropout: false, positions: none, patches: {bias: true}, "
    "projector: {last_norm: true, pools: true, norm: rmsnorm, norms_merged: true}}";
constexpr const char* gemma4_tower =
    "{norm: rmsnorm, norms: both, gated: true, bias: false, positions: rope, attention: {norm: "
    "head, value_norm: true}, patches: {}, projector: {pools: true, norm: rmsnorm, norms_merged: "
    "true}}";
constexpr const char* llama4_tower =
    "{norm: layernorm, bias: true, dropout: false, positions: rope, patches: {class_token: true, "
    "norm: true}, projector: {last_norm: true}}";
constexpr const char* qwen2_tower =
    "{norm: layernorm, bias: true, dropout: false, positions: rope, patches: {}, "
    "projector: {norm: layernorm, bias: true}}";
constexpr const char* qwen2_5_tower =
    "{norm: rmsnorm, gated: true, bias: true, dropout: false, positions: rope, patches: {}, "
    "projector: {norm: rmsnorm, bias: true}}";
constexpr const char* qwen3_tower =
    "{norm: layernorm, bias: true, dropout: false, positions: rope, patches: {bias: true}, "
    "projector: {norm: layernorm, bias: true}}";
constexpr const char* glm_tower =
    "{norm: rmsnorm, gated: true, bias: false, positions: rope, patches: {bias: true, norm: true}, "
    "projector: {last_norm: true, bias: true}}";
constexpr const char* pixtral_in_mistral3 =
    "{norm: rmsnorm, gated: true, bias: false, positions: rope, patches: {norm: true}, "
    "projector: {norm: rmsnorm}}";
constexpr const char* pixtral_in_llava =
    "{norm: rmsnorm, gated: true, bias: false, positions: rope, patches: {norm: true}, "
    "projector: {bias: true}}";
constexpr const char* siglip_alone =
    "{norm: layernorm, bias: true, dropout: false, positions: none, patches: {bias: true}, "
    "projector: {last_norm: true}}";
constexpr const char* moonvit =
    "{norm: layernorm, bias: true, dropout: false, positions: rope, patches: {bias: true}, "
    "projector: {last_norm: true, norm: layernorm, bias: true}}";
constexpr const char* intern_vit =
    "{norm: layernorm, bias: true, dropout: false, positions: none, patches: {bias: true, "
    "class_token: true}, projector: {norm: layernorm, norms_merged: true, bias: true}}";
constexpr const char* clip_tower =
    "{norm: layernorm, bias: true, dropout: false, positions: none, patches: {class_token: true, "
    "norm: true}, projector: {last_norm: true, bias: true}}";

constexpr const char* siglip_vision_class =
    "{hidden_size: 768, intermediate_size: 3072, num_hidden_layers: 12, num_attention_heads: 12, "
    "image_size: 224, patch_size: 16}";
constexpr const char* gemma4_vision_class =
    "{hidden_size: 768, intermediate_size: 3072, num_hidden_layers: 16, num_attention_heads: 12, "
    "num_key_value_heads: 12, head_dim: 64, patch_size: 16}";
constexpr const char* llama4_vision_class =
    "{hidden_size: 768, intermediate_size: 5632, num_hidden_layers: 34, num_attention_heads: 16, "
    "image_size: 448, patch_size: 14}";
constexpr const char* qwen2_vision_class =
    "{depth: 32, embed_dim: 1280, num_heads: 16, patch_size: 14, temporal_patch_size: 2}";
constexpr const char* qwen2_5_vision_class =
    "{depth: 32, hidden_size: 3584, intermediate_size: 3420, num_heads: 16, patch_size: 14, "
    "temporal_patch_size: 2, fullatt_block_indexes: [7, 15, 23, 31]}";
constexpr const char* qwen3_vision_class =
    "{depth: 27, hidden_size: 1152, intermediate_size: 4304, num_heads: 16, patch_size: 16, "
    "temporal_patch_size: 2, num_position_embeddings: 2304, deepstack_visual_indexes: [8, 16, 24]}";
constexpr const char* qwen3_5_vision_class =
    "{depth: 27, hidden_size: 1152, intermediate_size: 4304, num_heads: 16, patch_size: 16, "
    "temporal_patch_size: 2, num_position_embeddings: 2304}";
constexpr const char* glm_vision_class =
    "{depth: 24, hidden_size: 1536, intermediate_size: 13696, num_heads: 12, image_size: 336, "
    "patch_size: 14, temporal_patch_size: 2, out_hidden_size: 4096}";
constexpr const char* pixtral_vision_class =
    "{hidden_size: 1024, intermediate_size: 4096, num_hidden_layers: 24, num_attention_heads: 16, "
    "patch_size: 16}";
constexpr const char* idefics3_vision_class =
    "{hidden_size: 1152, intermediate_size: 3072, num_hidden_layers: 12, num_attention_heads: 16, "
    "image_size: 224, patch_size: 32}";
constexpr const char* clip_vision_class =
    "{hidden_size: 768, intermediate_size: 3072, num_hidden_layers: 12, num_attention_heads: 12, "
    "image_size: 224, patch_size: 32}";

constexpr Tower all_towers[] = {
    {"gemma3", "siglip_vision_model", siglip_tower, siglip_vision_class, set_gemma3},
    {"gemma4", "gemma4_vision", gemma4_tower, gemma4_vision_class, set_gemma4},
    {"llama4", "", llama4_tower, llama4_vision_class, set_llama4},
    {"qwen2_vl", "", qwen2_tower, qwen2_vision_class, set_qwen2_vl},
    {"qwen2_5_vl", "", qwen2_5_tower, qwen2_5_vision_class, set_qwen2_5_vl},
    {"qwen3_vl", "", qwen3_tower, qwen3_vision_class, set_qwen3_vl},
    {"qwen3_vl_moe", "", qwen3_tower, qwen3_vision_class, set_qwen3_vl},
    {"qwen3_5", "", qwen3_tower, qwen3_5_vision_class, set_qwen3_vl},
    {"qwen3_5_moe", "", qwen3_tower, qwen3_5_vision_class, set_qwen3_vl},
    {"qwen2_5_omni_thinker", "", qwen2_5_tower, qwen2_5_vision_class, set_qwen2_5_vl},
    {"qwen3_omni_moe_thinker", "", qwen3_tower, qwen3_vision_class, set_qwen3_vl},
    {"glm4v", "", glm_tower, glm_vision_class, set_glm4v},
    {"glm4v_moe", "", glm_tower, glm_vision_class, set_glm4v},
    {"mistral3", "pixtral", pixtral_in_mistral3, pixtral_vision_class, set_mistral3},
    {"llava", "clip_vision_model", clip_tower, clip_vision_class, set_clip},
    {"llava", "pixtral", pixtral_in_llava, pixtral_vision_class, set_llava},
    {"llava_next", "clip_vision_model", clip_tower, clip_vision_class, set_clip},
    {"paligemma", "siglip_vision_model", siglip_alone, siglip_vision_class, set_paligemma},
    {"idefics3", "", siglip_alone, idefics3_vision_class, set_idefics3},
    {"smolvlm", "", siglip_alone, idefics3_vision_class, set_idefics3},
    {"internvl_chat", "", intern_vit, "{}", set_internvl},
    {"kimi_vl", "", moonvit, "{}", set_kimi},
    {"kimi_k25", "", moonvit, "{}", set_kimi},
};

}  // namespace

std::span<const Tower> towers() { return all_towers; }

}  // namespace pipewright::hugging_face
