// Published configurations (config.json of the repository named), against the parameters that the
// repository's safetensors hold.
#include <gtest/gtest.h>

#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

constexpr Published hybrid_families[] = {
    {"ibm-ai-platform/Bamba-9B-v1",
     R"({"model_type": "bamba", "hidden_size": 4096, "num_hidden_layers": 32,
      "num_attention_heads": 32, "vocab_size": 128256, "intermediate_size": 14336,
      "num_key_value_heads": 8, "attn_layer_indices": [9, 18, 27], "mamba_n_heads": 128,
      "mamba_d_head": 64, "mamba_d_state": 128, "mamba_n_groups": 1, "mamba_d_conv": 4,
      "mamba_expand": 2, "mamba_chunk_size": 256, "tie_word_embeddings": false})",
     9780410368},
    {"ibm-granite/granite-4.0-h-micro",
     R"({"model_type": "granitemoehybrid", "hidden_size": 2048, "num_hidden_layers": 40,
      "num_attention_heads": 32, "vocab_size": 100352, "intermediate_size": 8192,
      "num_key_value_heads": 8, "num_local_experts": 0, "num_experts_per_tok": 0,
      "shared_intermediate_size": 8192, "mamba_n_heads": 64, "mamba_d_head": 64,
      "mamba_d_state": 128, "mamba_n_groups": 1, "mamba_d_conv": 4, "mamba_expand": 2,
      "mamba_chunk_size": 256, "mamba_conv_bias": true, "mamba_proj_bias": false, "layer_types":
      ["mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba",
      "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba",
      "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba",
      "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention",
      "mamba", "mamba", "mamba", "mamba"], "position_embedding_type": "nope",
      "tie_word_embeddings": true})",
     3191399040},
    {"ibm-granite/granite-4.0-h-small",
     R"({"model_type": "granitemoehybrid", "hidden_size": 4096, "num_hidden_layers": 40,
      "num_attention_heads": 32, "vocab_size": 100352, "intermediate_size": 768,
      "num_key_value_heads": 8, "num_local_experts": 72, "num_experts_per_tok": 10,
      "shared_intermediate_size": 1536, "mamba_n_heads": 128, "mamba_d_head": 64,
      "mamba_d_state": 128, "mamba_n_groups": 1, "mamba_d_conv": 4, "mamba_expand": 2,
      "mamba_chunk_size": 256, "mamba_conv_bias": true, "mamba_proj_bias": false, "layer_types":
      ["mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba",
      "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba",
      "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba",
      "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention",
      "mamba", "mamba", "mamba", "mamba"], "position_embedding_type": "nope",
      "tie_word_embeddings": true})",
     32207337984},
};

TEST(HybridFamilies, each_has_the_parameters_that_were_published) {
  expect_published(hybrid_families);
}

}  // namespace
}  // namespace pipewright::test
