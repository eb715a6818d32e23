// Published configurations (config.json of the repository named), against the parameters that the
// repository's safetensors hold.
#include <gtest/gtest.h>

#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

constexpr Published plain_families[] = {
    {"bigscience/bloom-560m",
     R"({"model_type": "bloom", "n_embed": 1024, "n_inner": null, "n_layer": 24,
      "num_attention_heads": 16, "vocab_size": 250880})",
     559214592},
    {"EleutherAI/gpt-neo-1.3B",
     R"({"model_type": "gpt_neo", "attention_types": [[["global", "local"], 12]],
      "hidden_size": 2048, "intermediate_size": null, "max_position_embeddings": 2048,
      "num_heads": 16, "num_layers": 24, "vocab_size": 50257, "window_size": 256})",
     1315575808},
    {"bigcode/starcoder2-7b",
     R"({"model_type": "starcoder2", "hidden_size": 4608, "num_hidden_layers": 32,
      "num_attention_heads": 36, "vocab_size": 49152, "intermediate_size": 18432,
      "num_key_value_heads": 4, "use_bias": true, "sliding_window": 4096})",
     7173923840},
    {"microsoft/phi-2",
     R"({"model_type": "phi", "hidden_size": 2560, "num_hidden_layers": 32, "num_attention_heads":
      32, "vocab_size": 51200, "intermediate_size": 10240, "num_key_value_heads": 32,
      "partial_rotary_factor": 0.4, "qk_layernorm": false, "tie_word_embeddings": false})",
     2779683840},
    {"microsoft/phi-4",
     R"({"model_type": "phi3", "hidden_size": 5120, "num_hidden_layers": 40,
      "num_attention_heads": 40, "vocab_size": 100352, "intermediate_size": 17920,
      "num_key_value_heads": 10, "tie_word_embeddings": false, "sliding_window": null})",
     14659507200},
    {"stabilityai/stablelm-2-1_6b",
     R"({"model_type": "stablelm", "hidden_size": 2048, "num_hidden_layers": 24,
      "num_attention_heads": 32, "vocab_size": 100352, "intermediate_size": 5632,
      "num_key_value_heads": 32, "use_qkv_bias": true, "partial_rotary_factor": 0.25,
      "tie_word_embeddings": false})",
     1644417024},
    {"stabilityai/stablelm-2-12b",
     R"({"model_type": "stablelm", "hidden_size": 5120, "num_hidden_layers": 40,
      "num_attention_heads": 32, "vocab_size": 100352, "intermediate_size": 13824,
      "num_key_value_heads": 8, "use_qkv_bias": false, "qk_layernorm": true,
      "use_parallel_residual": true, "partial_rotary_factor": 0.25, "tie_word_embeddings":
      false})",
     12143605760},
    {"allenai/OLMo-7B-hf",
     R"({"model_type": "olmo", "hidden_size": 4096, "num_hidden_layers": 32,
      "num_attention_heads": 32, "vocab_size": 50304, "intermediate_size": 11008,
      "num_key_value_heads": 32, "tie_word_embeddings": false, "attention_bias": false})",
     6888095744},
    {"allenai/Olmo-3-1025-7B",
     R"({"model_type": "olmo3", "hidden_size": 4096, "num_hidden_layers": 32,
      "num_attention_heads": 32, "vocab_size": 100278, "intermediate_size": 11008,
      "num_key_value_heads": 32, "sliding_window": 4096, "tie_word_embeddings": false})",
     7298011136},
    {"CohereLabs/c4ai-command-r-v01",
     R"({"model_type": "cohere", "hidden_size": 8192, "num_hidden_layers": 40,
      "num_attention_heads": 64, "vocab_size": 256000, "intermediate_size": 22528,
      "num_key_value_heads": 64, "use_qk_norm": false})",
     34980831232},
    {"CohereLabs/c4ai-command-r-plus",
     R"({"model_type": "cohere", "hidden_size": 12288, "num_hidden_layers": 64,
      "num_attention_heads": 96, "vocab_size": 256000, "intermediate_size": 33792,
      "num_key_value_heads": 8, "use_qk_norm": true})",
     103810674688},
    {"zai-org/glm-4-9b-hf",
     R"({"model_type": "glm", "hidden_size": 4096, "num_hidden_layers": 40, "num_attention_heads":
      32, "vocab_size": 151552, "intermediate_size": 13696, "num_key_value_heads": 2,
      "head_dim": 128, "attention_bias": true, "tie_word_embeddings": false})",
     9399951360},
    {"zai-org/chatglm3-6b",
     R"({"model_type": "chatglm", "num_layers": 28, "hidden_size": 4096, "num_attention_heads":
      32, "kv_channels": 128, "ffn_hidden_size": 13696, "multi_query_attention": true,
      "multi_query_group_num": 2, "padded_vocab_size": 65024, "add_qkv_bias": true,
      "add_bias_linear": false, "seq_length": 8192, "tie_word_embeddings": false})",
     6243584000},
    {"HuggingFaceTB/SmolLM3-3B",
     R"({"model_type": "smollm3", "hidden_size": 2048, "num_hidden_layers": 36,
      "num_attention_heads": 16, "vocab_size": 128256, "intermediate_size": 11008,
      "num_key_value_heads": 4, "use_sliding_window": false, "sliding_window": null,
      "tie_word_embeddings": true})",
     3075098624},
    {"ByteDance-Seed/Seed-OSS-36B-Base",
     R"({"model_type": "seed_oss", "hidden_size": 5120, "num_hidden_layers": 64,
      "num_attention_heads": 80, "vocab_size": 155136, "intermediate_size": 27648,
      "num_key_value_heads": 8, "head_dim": 128, "attention_bias": true, "attention_out_bias":
      false, "mlp_bias": false, "tie_word_embeddings": false})",
     36151104512},
    {"swiss-ai/Apertus-8B-2509",
     R"({"model_type": "apertus", "hidden_size": 4096, "num_hidden_layers": 32,
      "num_attention_heads": 32, "vocab_size": 131072, "intermediate_size": 21504,
      "num_key_value_heads": 8, "qk_norm": true, "post_norm": false, "attention_bias": false,
      "mlp_bias": false, "tie_word_embeddings": false})",
     8053338176},
    {"baidu/ERNIE-4.5-0.3B-PT",
     R"({"model_type": "ernie4_5", "hidden_size": 1024, "num_hidden_layers": 18,
      "num_attention_heads": 16, "vocab_size": 103424, "intermediate_size": 3072,
      "num_key_value_heads": 2, "head_dim": 128, "use_bias": false, "tie_word_embeddings": true})",
     360748032},
    {"internlm/internlm2-7b",
     R"({"model_type": "internlm2", "hidden_size": 4096, "num_hidden_layers": 32,
      "num_attention_heads": 32, "vocab_size": 92544, "intermediate_size": 14336,
      "num_key_value_heads": 8, "bias": false, "tie_word_embeddings": false})",
     7737708544},
    {"LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct",
     R"({"model_type": "exaone", "hidden_size": 4096, "num_hidden_layers": 32,
      "num_attention_heads": 32, "vocab_size": 102400, "intermediate_size": 14336,
      "num_key_value_heads": 8, "num_layers": 32, "tie_word_embeddings": false})",
     7818448896},
    {"LGAI-EXAONE/EXAONE-4.0-1.2B",
     R"({"model_type": "exaone4", "hidden_size": 2048, "num_hidden_layers": 30,
      "num_attention_heads": 32, "vocab_size": 102400, "intermediate_size": 4096,
      "num_key_value_heads": 8, "head_dim": 64, "sliding_window": null,
      "sliding_window_pattern": null, "tie_word_embeddings": true})",
     1279463424},
    {"openbmb/MiniCPM-2B-sft-bf16",
     R"({"model_type": "minicpm", "hidden_size": 2304, "num_hidden_layers": 40,
      "num_attention_heads": 36, "vocab_size": 122753, "intermediate_size": 5760,
      "num_key_value_heads": 36})",
     2724880896},
    {"Qwen/Qwen-7B",
     R"({"model_type": "qwen", "hidden_size": 4096, "num_hidden_layers": 32,
      "num_attention_heads": 32, "vocab_size": 151936, "intermediate_size": 22016,
      "kv_channels": 128, "no_bias": true, "tie_word_embeddings": false})",
     7721324544},
    {"baichuan-inc/Baichuan2-7B-Base",
     R"({"model_type": "baichuan", "hidden_size": 4096, "num_hidden_layers": 32,
      "num_attention_heads": 32, "vocab_size": 125696, "intermediate_size": 11008,
      "tie_word_embeddings": false})",
     7505973248},
    {"bigcode/starcoder",
     R"({"model_type": "gpt_bigcode", "hidden_size": 6144, "num_hidden_layers": 40,
      "num_attention_heads": 48, "vocab_size": 49152, "n_embd": 6144, "n_layer": 40, "n_head":
      48, "n_inner": 24576, "n_positions": 8192, "multi_query": true})",
     15517456384},
    {"FacebookAI/xlm-roberta-large",
     R"({"model_type": "xlm-roberta", "hidden_size": 1024, "num_hidden_layers": 24,
      "num_attention_heads": 16, "vocab_size": 250002, "max_position_embeddings": 514,
      "intermediate_size": 4096})",
     560142482},
    {"distilbert/distilbert-base-uncased",
     R"({"model_type": "distilbert", "dim": 768, "hidden_dim": 3072, "n_heads": 12, "n_layers": 6,
      "vocab_size": 30522, "max_position_embeddings": 512})",
     66985530},
    {"answerdotai/ModernBERT-base",
     R"({"model_type": "modernbert", "hidden_size": 768, "num_hidden_layers": 22,
      "num_attention_heads": 12, "vocab_size": 50368, "intermediate_size": 1152,
      "local_attention": 128, "global_attn_every_n_layers": 3})",
     149655232},
    {"google-t5/t5-3b",
     R"({"model_type": "t5", "d_ff": 16384, "d_kv": 128, "d_model": 1024, "num_heads": 32,
      "num_layers": 24, "n_positions": 512, "vocab_size": 32128, "feed_forward_proj": "relu",
      "relative_attention_num_buckets": 32})",
     2851598336},
    {"google/flan-t5-xxl",
     R"({"model_type": "t5", "d_ff": 10240, "d_kv": 64, "d_model": 4096, "num_heads": 64,
      "num_layers": 24, "num_decoder_layers": 24, "n_positions": 512, "vocab_size": 32128,
      "feed_forward_proj": "gated-gelu", "tie_word_embeddings": false})",
     11135332352},
};

TEST(PlainFamilies, each_has_the_parameters_that_were_published) {
  expect_published(plain_families);
}

TEST(PlainFamilies, blocks_see_what_their_configuration_says) {
  const TransformerShape bert = hugging_face(R"({"model_type": "modernbert", "hidden_size": 768,
      "num_hidden_layers": 22, "num_attention_heads": 12, "vocab_size": 50368,
      "local_attention": 128, "global_attn_every_n_layers": 3})")
                                    .transformer;
  EXPECT_TRUE(bert.encoder);
  EXPECT_EQ(bert.reach(0, 4096), 4096);
  EXPECT_EQ(bert.reach(1, 4096), 128);
  const TransformerShape olmo = hugging_face(R"({"model_type": "olmo3", "hidden_size": 64,
      "num_hidden_layers": 8, "num_attention_heads": 4, "vocab_size": 100,
      "sliding_window": 32})")
                                    .transformer;
  EXPECT_EQ(olmo.reach(2, 4096), 32);
  EXPECT_EQ(olmo.reach(3, 4096), 4096);
}

TEST(PlainFamilies, t5_has_a_stack_of_each_kind) {
  const Model model = hugging_face(R"({"model_type": "t5", "d_ff": 3072, "d_kv": 64,
      "d_model": 768, "num_heads": 12, "num_layers": 12, "num_decoder_layers": 6,
      "vocab_size": 32128})");
  EXPECT_EQ(model.transformer.layers, 12);
  EXPECT_EQ(model.transformer.decoder.layers, 6);
  EXPECT_EQ(model.sequence, 512);
}

}  // namespace
}  // namespace pipewright::test
