// All families whose configurations are read.
//
// A family decides what its configuration does not say: the MLP's form, the norm, the positions,
// whether blocks are parallel. What its class takes for a key that a file leaves out stands in
// class_defaults.yaml; the number of experts must always be said.
#include <vector>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr const char* two_tables = "its encoder and its decoder have positions of their own";
constexpr const char* pooled_keys = "an indexer scores keys that are pooled";
constexpr const char* own_embeddings = "its encoder and its decoder have embeddings of their own";
constexpr const char* images_alone =
    "it reads images and has no words; a model of text has it as its tower";
constexpr const char* sound_alone = "it hears sound and has no words";
constexpr const char* denoises =
    "its tokens see both ways, and some of them are masked and predicted";
constexpr const char* rwkv = "its blocks have time mixing of an earlier RWKV";

constexpr Unmodelled not_modelled[] = {
    {"deepseek_v41", "its blocks look up tables of n-grams and share compressed keys",
     "deepseek_v4"},
    {"glm5_next", pooled_keys, "kimi_linear"},
    {"glm5_next_text", pooled_keys, "kimi_linear"},
    {"hunyuan", "its layers share keys (use_cla)", "hunyuan_v1_moe"},
    {"ernie4_5_vl_moe", "words and images have experts of their own", "ernie4_5_moe"},
    {"ernie4_5_moe_vl", "words and images have experts of their own", "ernie4_5_moe"},
    {"t5gemma", own_embeddings, "t5"},
    {"t5gemma2", own_embeddings, "t5"},
    {"clip", images_alone, "gemma3"},
    {"clip_vision_model", images_alone, "gemma3"},
    {"siglip", images_alone, "gemma3"},
    {"siglip_vision_model", images_alone, "gemma3"},
    {"siglip2", images_alone, "gemma3"},
    {"vit", images_alone, "gemma3"},
    {"dinov2", images_alone, "gemma3"},
    {"dinov3_vit", images_alone, "gemma3"},
    {"wav2vec2", sound_alone, "whisper"},
    {"hubert", sound_alone, "whisper"},
    {"deberta-v2", "its attention scores places apart from contents", "bert"},
    {"llada", denoises, "llama"},
    {"llada2_moe", denoises, "bailing_moe_v2"},
    {"Dream", denoises, "qwen2"},
    {"hymba", "its heads of attention stand beside Mamba 1 and share keys", "falcon_h1"},
    {"phi4flash", "its second half shares keys and a state with the first", "phi3"},
    {"phi4mm", "it has adapters of its own for images and for sound", "phi3"},
    {"phi4_multimodal", "it has adapters of its own for images and for sound", "phi3"},
    {"xlstm", "its blocks have LSTM cells with a matrix of memory", "mamba2"},
    {"iquestloopcoder", "its blocks run twice by the same weights", "llama"},
    {"afm7", "its MLP is as wide as a factor says", "llama"},
    {"lille-130m", "its configuration does not say how wide its MLP is", "llama"},
    {"plamo", "its configuration does not say how many heads share a key", "llama"},
    {"plamo2", "its state-space layers make their steps of heads through a low rank", "bamba"},
    {"zamba", "its blocks of attention share weights", "bamba"},
    {"zamba2", "its blocks of attention share weights", "bamba"},
    {"rwkv", rwkv, "rwkv7"},
    {"rwkv6", rwkv, "rwkv7"},
    {"longcat_flash_ngram", "its embedding adds tables of n-grams", "longcat_flash"},
    {"baichuan_m1", "its attention with a window has heads of other numbers or widths", "qwen3"},
    {"openelm", "each of its blocks has a width of its own", "llama"},
    {"mllama", "some of its blocks attend to an image", "llama"},
    {"mllama_text_model", "some of its blocks attend to an image", "llama"},
    {"bitnet", "its weights are ternary", "llama"},
    {"phi3small", "its attention is sparse by blocks", "phi3"},
    {"arctic", "its blocks have an MLP beside their experts", "mixtral"},
    {"albert", "its embedding is narrower than its blocks; give 'transformer' with 'hidden_groups'",
     "bert"},
    {"bart", two_tables, "t5"},
    {"mbart", two_tables, "t5"},
    {"m2m_100", two_tables, "t5"},
    {"marian", two_tables, "t5"},
    {"pegasus", two_tables, "t5"},
};

std::vector<Family> joined() {
  std::vector<Family> all;
  for (const auto table : {plain_families(), expert_families(), hybrid_families()})
    all.insert(all.end(), table.begin(), table.end());
  return all;
}

}  // namespace

std::span<const Family> families() {
  static const std::vector<Family> all = joined();
  return all;
}

std::span<const Unmodelled> unmodelled() { return not_modelled; }

}  // namespace pipewright::hugging_face
