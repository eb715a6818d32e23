#include "convert/megatron_bridge/vocabulary.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

/// Returns the tokens of a model of 152064 with what a recipe says.
std::string bridge_tokens(const std::string& recipe, std::vector<std::string>* notes = nullptr) {
  job::Import import, more;
  const job::Source source{.text = recipe, .file = "r.yaml"};
  const job::Settings settings(config::parse(recipe, "r.yaml"), source, import);
  config::Value transformer = config::parse("{vocabulary: 152064}", "model");
  megatron_bridge::take_tokenizer(settings, transformer, more);
  if (notes) *notes = more.assumed;
  return at(transformer, {"vocabulary"});
}

// calculate_padded_vocab_size: 151665 tokens in multiples of 128, and of 128 x 4.
TEST(MegatronBridgeVocabulary, the_tokenizers_size_is_filled_up) {
  const std::string tokenizer =
      "tokenizer: {tokenizer_type: HuggingFaceTokenizer, tokenizer_model: Qwen/Qwen2.5-7B}\n";
  EXPECT_EQ(bridge_tokens(tokenizer + "model: {seq_length: 1}\n"), "151680");
  EXPECT_EQ(bridge_tokens(tokenizer + "model: {tensor_model_parallel_size: 4}\n"), "152064");
  EXPECT_EQ(bridge_tokens(tokenizer + "model: {make_vocab_size_divisible_by: 1}\n"), "151665");
}

/// Returns the tokens of a model of 152064 whose recipe says its own number.
std::string bridge_size(const std::string& recipe) {
  job::Import import;
  const job::Source source{.text = recipe, .file = "r.yaml"};
  job::Settings settings(config::parse(recipe, "r.yaml"), source, import);
  config::Value transformer = config::parse("{vocabulary: 152064}", "model");
  megatron_bridge::take_size(settings, transformer);
  EXPECT_TRUE(settings.is_used("model.vocab_size"));
  return at(transformer, {"vocabulary"});
}

// _validate_and_set_vocab_size: what the model says holds, and may not be less than the tokenizer.
TEST(MegatronBridgeVocabulary, what_the_recipe_says_stands_over_the_models_own) {
  EXPECT_EQ(bridge_size("model: {vocab_size: 128257, tensor_model_parallel_size: 4}\n"), "128257");
  EXPECT_EQ(error_of([] {
              bridge_size(
                  "model: {vocab_size: 1000}\n"
                  "tokenizer: {tokenizer_type: NullTokenizer, vocab_size: 1024}\n");
            }),
            "r.yaml:1:21: error: model.vocab_size is fewer than the 1024 tokens of the tokenizer");
}

TEST(MegatronBridgeVocabulary, a_null_tokenizer_has_what_it_is_told) {
  EXPECT_EQ(bridge_tokens("tokenizer: {tokenizer_type: NullTokenizer, vocab_size: 32000}\n"
                          "model: {tensor_model_parallel_size: 8}\n"),
            "32768");
}

TEST(MegatronBridgeVocabulary, a_size_that_nobody_knows_is_the_models) {
  std::vector<std::string> notes;
  EXPECT_EQ(bridge_tokens("tokenizer: {tokenizer_model: me/mine}\n", &notes), "152064");
  EXPECT_EQ(notes, std::vector<std::string>{"the tokenizer has as many tokens as the model"});
}

}  // namespace
}  // namespace pipewright::test
