// DeepSeek-V4 and Gemma 4's small models as their configurations are published.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright::hugging_face {
namespace {

std::string flash(int layers, const std::string& more) {
  return R"({"model_type": "deepseek_v4", "num_hidden_layers": )" + std::to_string(layers) +
         R"(, "vocab_size": 129280, "hidden_size": 4096, "moe_intermediate_size": 2048,
      "num_attention_heads": 64,
      "num_key_value_heads": 1, "head_dim": 512, "q_lora_rank": 1024, "qk_rope_head_dim": 64,
      "o_lora_rank": 1024, "o_groups": 8, "n_routed_experts": 256, "n_shared_experts": 1,
      "num_experts_per_tok": 6, "hc_mult": 4, "sliding_window": 128, "index_n_heads": 64,
      "index_head_dim": 128, "index_topk": 512, "max_position_embeddings": 1048576,
      "num_nextn_predict_layers": 1)" +
         more + "}";
}

double parameters_of(const std::string& config) {
  return test::parameters(model_layers(test::hugging_face(config), {.sequence = 4096}, {}));
}

// The model card: 284 billion parameters of Flash, 1.6 trillion of Pro.
TEST(DeepSeekV4, has_the_published_parameters) {
  EXPECT_NEAR(parameters_of(flash(43, "")) / 284e9, 1, 0.002);
  const double pro = parameters_of(
      R"({"model_type": "deepseek_v4", "hidden_size": 7168, "moe_intermediate_size": 3072,
      "num_hidden_layers": 61, "num_attention_heads": 128, "q_lora_rank": 1536, "o_groups": 16,
      "n_routed_experts": 384, "index_topk": 1024})");
  EXPECT_NEAR(pro / 1.6e12, 1, 0.02);
}

// Layers by the ratios of the first files, by their names of today, and as the class has them.
TEST(DeepSeekV4, says_its_layers_in_three_ways) {
  const auto shape = [](const std::string& more) {
    return test::hugging_face(flash(4, more)).transformer;
  };
  const TransformerShape ratios = shape(R"(, "compress_ratios": [0, 4, 128, 4, 0])");
  const TransformerShape names = shape(R"(, "layer_types": ["sliding_attention",
      "compressed_sparse_attention", "heavily_compressed_attention",
      "compressed_sparse_attention"])");
  EXPECT_EQ(ratios.kinds.mixers, names.kinds.mixers);
  EXPECT_EQ(ratios.kinds.mixers, (std::vector{Mixer::sliding, Mixer::few_compressed,
                                              Mixer::many_compressed, Mixer::few_compressed}));
  EXPECT_EQ(shape("").kinds.mixers, (std::vector{Mixer::many_compressed, Mixer::many_compressed,
                                                 Mixer::many_compressed, Mixer::few_compressed}));
  EXPECT_EQ(ratios.streams, 4);
  EXPECT_NE(test::error_of([&] {
              shape(R"(, "compress_ratios": [0, 2, 128, 4])");
            }).find("no ratio 2 is known"),
            std::string::npos);
}

// The catalogue has what the configurations say.
TEST(DeepSeekV4, is_in_the_catalogue) {
  const auto of_catalogue = [](const char* name) {
    const config::Value model = config::parse(name, "x.yaml");
    return test::parameters(model_layers(read_model(config::Catalogue().resolve("models", model)),
                                         {.sequence = 4096}, {}));
  };
  std::string ratios = "0, 0";
  for (int block = 2; block < 43; ++block) ratios += block % 2 == 0 ? ", 4" : ", 128";
  EXPECT_DOUBLE_EQ(of_catalogue("deepseek-v4-flash"),
                   parameters_of(flash(43, ", \"compress_ratios\": [" + ratios + "]")));
  EXPECT_NEAR(of_catalogue("deepseek-v4-pro") / 1.6e12, 1, 0.02);
  EXPECT_NEAR((of_catalogue("gemma-4-e2b") - 262144.0 * 35 * 256) / 2.3e9, 1, 0.02);
}

// ai.google.dev/gemma: 2.3 billion effective parameters, 5.1 with embeddings and both towers; the
// table for all blocks is 262,144 x 35 x 256 of them.
TEST(Gemma4, small_models_have_tables_for_every_block_and_borrow_keys) {
  const double all = parameters_of(R"({"model_type": "gemma4", "tie_word_embeddings": true,
      "text_config": {"model_type": "gemma4_text", "hidden_size": 1536, "num_hidden_layers": 35,
      "num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 256, "global_head_dim": 512,
      "vocab_size": 262144, "vocab_size_per_layer_input": 262144,
      "hidden_size_per_layer_input": 256, "num_kv_shared_layers": 20, "use_double_wide_mlp": true,
      "intermediate_size": 6144, "sliding_window": 512, "layer_types": ["sliding_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention",
      "full_attention", "sliding_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "sliding_attention", "full_attention", "sliding_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention",
      "full_attention", "sliding_attention", "sliding_attention", "sliding_attention",
      "sliding_attention", "full_attention"]}})");
  const double table = 262144.0 * 35 * 256;
  EXPECT_NEAR((all - table) / 2.3e9, 1, 0.02);
}

}  // namespace
}  // namespace pipewright::hugging_face
