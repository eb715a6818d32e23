// The tokens that NeMo 2 trains a model with whose class does not say them.
#include "convert/nemo/vocabulary.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "convert/nemo/config_file.hpp"

namespace pipewright::test {
namespace {

/// The tokens of a recipe of a class, with a field of its configuration, and of data with a
/// tokenizer, over so many tensor ranks.
int64_t recipe_tokens(const std::string& model_class, const std::string& field,
                      const std::string& tokenizer, int ranks) {
  const std::string text =
      "_partial_: true\n_target_: nemo.collections.llm.api.pretrain\n" +
      fmt::format(
          "data: {{_target_: nemo.collections.llm.gpt.data.mock.MockDataModule, global_batch_size: "
          "128, "
          "micro_batch_size: 1, seq_length: 4096{}}}\n"
          "model: {{_target_: nemo.collections.llm.gpt.model.llama.LlamaModel, config: {{_target_: "
          "nemo.collections.llm.gpt.model.llama.{}, seq_length: 4096{}}}}}\n"
          "trainer: {{devices: 8, num_nodes: 4, strategy: {{_target_: "
          "nemo.lightning.pytorch.strategies.megatron_strategy.MegatronStrategy, "
          "tensor_model_parallel_size: {}}}}}\n",
          tokenizer, model_class, field, ranks);
  job::Source source{.text = text, .file = "r.yaml", .given = {}, .partial = true, .read = {}};
  const config::Value experiment = nemo::import_config(source).experiment;
  const config::Value* model = experiment.find("model");
  if (const config::Value* inside = model->find("transformer")) model = inside;
  return config::as_int(*model->find("vocabulary"), 1, 1 << 30);
}

// GPT-2 has 50,257 tokens, padded to a multiple of 128 for each tensor rank.
TEST(NemoVocabulary, of_data_that_is_made_up_is_gpt_2_s) {
  EXPECT_EQ(recipe_tokens("Llama3Config8B", "", "", 1), 50304);
  EXPECT_EQ(recipe_tokens("Llama3Config8B", "", "", 2), 50432);
  EXPECT_EQ(recipe_tokens("MixtralConfig8x7B", "", "", 4), 50688);
}

TEST(NemoVocabulary, is_that_of_a_null_tokenizer_and_its_end) {
  EXPECT_EQ(recipe_tokens("Llama3Config8B", "",
                          ", tokenizer: {_target_: "
                          "nemo.collections.common.tokenizers.null_tokenizer.NullTokenizer, "
                          "vocab_size: 256000}",
                          1),
            256128);
}

// As NeMo's scripts of performance make one.
TEST(NemoVocabulary, is_that_of_the_library_null) {
  EXPECT_EQ(recipe_tokens("Llama3Config70B", "",
                          ", tokenizer: {_target_: "
                          "nemo.collections.nlp.modules.common.tokenizer_utils.get_nmt_tokenizer, "
                          "library: 'null', model_name: NullTokenizer, vocab_size: 128256}",
                          4),
            128512);
}

TEST(NemoVocabulary, is_the_class_s_or_the_configuration_s_where_these_say_it) {
  EXPECT_EQ(recipe_tokens("Qwen25Config7B", "", "", 1), 152064);
  EXPECT_EQ(recipe_tokens("Llama3Config8B", ", vocab_size: 128256", "", 1), 128256);
}

}  // namespace
}  // namespace pipewright::test
