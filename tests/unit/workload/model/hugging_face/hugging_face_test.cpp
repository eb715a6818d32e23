// What every family's configuration has in common; the families are in the files beside this.
#include "workload/model/hugging_face/hugging_face.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "error_of.hpp"
#include "support/hugging_face.hpp"
#include "workload/model/model.hpp"

namespace pipewright::test {
namespace {

TEST(HuggingFace, llama_s_configuration_is_the_catalogue_s_llama) {
  const TransformerShape shape = hugging_face(R"({"architectures": ["LlamaForCausalLM"],
      "model_type": "llama", "hidden_act": "silu", "hidden_size": 4096, "num_hidden_layers": 32,
      "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
      "vocab_size": 128256, "max_position_embeddings": 8192, "rms_norm_eps": 1e-05,
      "tie_word_embeddings": false})")
                                     .transformer;
  EXPECT_EQ(shape.layers, 32);
  EXPECT_EQ(shape.attention.kv_heads, 8);
  EXPECT_EQ(shape.ffn, 14336);
  EXPECT_TRUE(shape.gated && !shape.bias && !shape.ends.tied && !shape.dropout);
  EXPECT_EQ(shape.norm, Norm::rmsnorm);
}

TEST(HuggingFace, drafts_of_speculative_decoding_are_refused) {
  for (const char* name : {"LlamaForCausalLMEagle3", "DFlashDraftModel"})
    EXPECT_NE(error_of([&] {
                hugging_face(fmt::format(R"({{"architectures": ["{}"], "model_type": "llama",
                    "hidden_size": 4096, "num_hidden_layers": 1, "num_attention_heads": 32,
                    "intermediate_size": 14336, "vocab_size": 128256}})",
                                         name));
              }).find("is a draft, which reads layers of another model"),
              std::string::npos)
        << name;
}

TEST(HuggingFace, gpt2_has_names_of_its_own) {
  const Model model =
      hugging_face(R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12,
      "n_inner": null, "n_positions": 1024, "vocab_size": 50257})");
  EXPECT_EQ(model.transformer.ffn, 3072);
  EXPECT_EQ(model.sequence, 1024);
  EXPECT_TRUE(model.transformer.ends.tied);
}

TEST(HuggingFace, deepseek_has_latent_attention_and_experts) {
  const TransformerShape shape = hugging_face(R"({"model_type": "deepseek_v3", "hidden_size": 7168,
      "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
      "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256,
      "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 3,
      "moe_layer_freq": 1, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
      "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280})")
                                     .transformer;
  EXPECT_EQ(shape.experts->count, 256);
  EXPECT_EQ(shape.experts->ffn, 2048);
  EXPECT_EQ(shape.experts->dense, 3);
  EXPECT_EQ(shape.attention.latent->query, 1536);
  EXPECT_EQ(shape.attention.latent->value, 128);
}

TEST(HuggingFace, qwen_s_wide_shared_expert_is_several_of_the_others) {
  const char* qwen = R"({"model_type": "qwen2_moe", "hidden_size": 2048, "num_hidden_layers": 24,
      "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 5632,
      "moe_intermediate_size": 1408, "num_experts": 60, "num_experts_per_tok": 4,
      "shared_expert_intermediate_size": WIDTH, "vocab_size": 151936})";
  const auto of_width = [&](const char* width) {
    std::string text = qwen;
    return text.replace(text.find("WIDTH"), 5, width);
  };
  EXPECT_EQ(hugging_face(of_width("5632")).transformer.experts->shared, 4);
  EXPECT_EQ(hugging_face(of_width("null")).transformer.experts->shared, 0);
  EXPECT_EQ(hugging_face(of_width("5633")).transformer.experts->shared_width(), 5633);
}

TEST(HuggingFace, the_first_deepseek_has_experts_and_plain_attention) {
  const TransformerShape shape = hugging_face(R"({"model_type": "deepseek", "hidden_size": 2048,
      "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 16,
      "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 64,
      "num_experts_per_tok": 6, "n_shared_experts": 2, "first_k_dense_replace": 1,
      "moe_layer_freq": 1, "vocab_size": 102400})")
                                     .transformer;
  EXPECT_EQ(shape.experts->count, 64);
  EXPECT_EQ(shape.experts->shared, 2);
  EXPECT_TRUE(shape.gated && !shape.attention.latent);
}

TEST(HuggingFace, roberta_is_an_encoder_whose_first_positions_no_token_takes) {
  const Model model =
      hugging_face(R"({"model_type": "roberta", "hidden_size": 768, "vocab_size": 50265,
      "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
      "max_position_embeddings": 514})");
  EXPECT_TRUE(model.transformer.encoder);
  EXPECT_EQ(model.sequence, 512);
}

TEST(HuggingFace, a_family_s_experts_and_latent_attention_are_needed) {
  const auto error = [](const std::string& rest) {
    const std::string sizes =
        "hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, vocab_size: 100, ";
    return error_of([&] { hugging_face("{" + sizes + rest + "}"); });
  };
  EXPECT_EQ(error("model_type: mixtral"),
            "config.json:1:1: error: model_type 'mixtral' needs the key 'num_local_experts'");
  EXPECT_EQ(error("model_type: qwen3_moe"),
            "config.json:1:1: error: model_type 'qwen3_moe' needs the key 'num_experts'");
  EXPECT_EQ(error("model_type: deepseek_v3"),
            "config.json:1:1: error: model_type 'deepseek_v3' needs the key 'n_routed_experts'");
  EXPECT_EQ(error("model_type: deepseek_v3, n_routed_experts: 8"),
            "config.json:1:1: error: model_type 'deepseek_v3' needs the key 'kv_lora_rank'");
}

// Version 5 of the library writes one name for all families.
TEST(HuggingFace, experts_may_have_another_family_s_name) {
  const char* sizes =
      "{model_type: qwen3_moe, hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, "
      "vocab_size: 100, num_local_experts: 8}";
  EXPECT_EQ(hugging_face(sizes).transformer.experts->count, 8);
}

// Both of qwen3_vl's maps say it, saved by version 5; version 4 asked the text model.
TEST(HuggingFace, a_whole_says_whether_the_head_is_tied) {
  const auto tied = [](const char* version) {
    return hugging_face(
               (std::string("{model_type: qwen3_vl, tie_word_embeddings: false, "
                            "transformers_version: '") +
                version +
                "', text_config: {model_type: qwen3_vl_text, tie_word_embeddings: true, "
                "hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, vocab_size: 10}}")
                   .c_str())
        .transformer.ends.tied;
  };
  EXPECT_FALSE(tied("5.12.1"));
  EXPECT_TRUE(tied("4.57.0"));
}

TEST(HuggingFace, a_missing_dimension_is_told_by_its_own_names) {
  const std::string before = "config.json:1:1: error: a Hugging Face configuration needs the key ";
  EXPECT_EQ(error_of([] { hugging_face("{model_type: llama, hidden_size: 64}"); }),
            before + "'num_hidden_layers' (or n_layer, n_layers, num_layers)");
  EXPECT_EQ(
      error_of([] {
        hugging_face("{model_type: gpt2, n_layer: 2, n_embd: 64, n_head: 4, vocab_size: null}");
      }),
      before + "'vocab_size'");
  EXPECT_EQ(hugging_face("{model_type: gpt2, n_layer: 2, n_embd: 64, n_head: 4, vocabulary: 100}")
                .transformer.ends.vocabulary,
            100);
}

TEST(HuggingFace, an_architecture_nobody_knows_is_an_input_error) {
  const std::string error = error_of([] { hugging_face("{model_type: lama}"); });
  EXPECT_EQ(error, "config.json:1:14: error: no model_type 'lama' is known; did you mean 'llama'?");
  const std::string strange = error_of([] { hugging_face("{model_type: qqqqqqqqqqqqqqqq}"); });
  EXPECT_NE(strange.find("is known; known are llama, mistral, "), std::string::npos) << strange;
}

TEST(HuggingFace, numbers_that_tools_write_as_fractions_are_whole) {
  const TransformerShape shape = hugging_face(R"({"model_type": "llama", "hidden_size": 4096.0,
      "num_hidden_layers": 32.0, "num_attention_heads": 32, "vocab_size": 128256,
      "rms_norm_eps": 1.0})")
                                     .transformer;
  EXPECT_EQ(shape.hidden, 4096);
  EXPECT_EQ(shape.layers, 32);
  EXPECT_EQ(error_of([] {
              hugging_face(
                  "{model_type: llama, hidden_size: 64, num_hidden_layers: 2.5, "
                  "num_attention_heads: 4, vocab_size: 100}");
            }),
            "config.json:1:57: error: '2.5' must be a whole number from 1 to 10000");
}

TEST(HuggingFace, a_rate_of_dropout_is_whether_there_is_any) {
  const auto drops = [](const char* rate) {
    const std::string text =
        "{model_type: opt, hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, "
        "vocab_size: 100, dropout: ";
    return hugging_face(text + rate + "}").transformer.dropout;
  };
  EXPECT_TRUE(drops("0.1"));
  EXPECT_FALSE(drops("0.0"));
}

// A model of text and images is read by its text model, whatever the whole is called.
TEST(HuggingFace, the_text_model_of_several_is_read_and_the_rest_named) {
  const Model model = hugging_face(R"({"model_type": "llava", "image_token_index": 32000,
      "text_config": {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
          "num_attention_heads": 32, "vocab_size": 32064, "max_position_embeddings": 4096},
      "vision_config": {"model_type": "a_vision_model", "hidden_size": 1024}})");
  EXPECT_EQ(model.transformer.hidden, 4096);
  EXPECT_EQ(model.left_out, "the model's text part only: what vision_config describes is left out");
}

TEST(HuggingFace, modules_that_predict_further_tokens_are_named_as_left_out) {
  const std::string text =
      "{model_type: llama, hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, "
      "vocab_size: 100, num_nextn_predict_layers: ";
  EXPECT_EQ(hugging_face(text + "0}").left_out, "");
  EXPECT_NE(hugging_face(text + "1}").left_out, "");
  const Model model = hugging_face(text + "1, predict: 1}");
  EXPECT_EQ(model.left_out, "");
  EXPECT_EQ(model.transformer.ends.predicted, 1);
}

}  // namespace
}  // namespace pipewright::test
