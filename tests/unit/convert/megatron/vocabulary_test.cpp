#include "convert/megatron/vocabulary.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

int64_t vocabulary_of(const std::string& text, int64_t tensor = 1) {
  FlagsOf given(text);
  return megatron::vocabulary(*given.flags, tensor, "GPT2BPETokenizer");
}

TEST(MegatronVocabulary, is_padded_for_every_tensor_rank) {
  EXPECT_EQ(vocabulary_of(""), 50304);     // 393 x 128
  EXPECT_EQ(vocabulary_of("", 8), 51200);  // 50 x 1024
  EXPECT_EQ(vocabulary_of("--make-vocab-size-divisible-by 1"), 50257);
}

TEST(MegatronVocabulary, is_that_of_a_public_tokenizer) {
  const std::string hub = "--tokenizer-type HuggingFaceTokenizer --tokenizer-model ";
  EXPECT_EQ(vocabulary_of(hub + "meta-llama/Meta-Llama-3-8B"), 128256);
  EXPECT_EQ(vocabulary_of(hub + "Qwen/Qwen2.5-7B"), 151680);  // 1185 x 128
  EXPECT_EQ(vocabulary_of("--tokenizer-type Llama2Tokenizer --tokenizer-model $X"), 32000);
  EXPECT_EQ(vocabulary_of("--tokenizer-type Llama2Tokenizer --tokenizer-model /a/Llama-2/t.model"),
            32000);
  EXPECT_EQ(vocabulary_of("--vocab-file /data/gpt2-vocab.json"), 50304);
}

// core/tokenizers/text/libraries/null_tokenizer.py adds no token to 128256, 1002 x 128; until
// February 2026 it added one. --DDP-impl is of 2023 at the latest.
TEST(MegatronVocabulary, counts_the_end_of_a_tokenizer_without_files_where_it_did_then) {
  const std::string size = " --vocab-size 128256";
  EXPECT_EQ(vocabulary_of("--tokenizer-type NullTokenizer" + size), 128256);
  EXPECT_EQ(vocabulary_of("--tokenizer-type NullTokenizer --DDP-impl local" + size), 128384);
  EXPECT_EQ(vocabulary_of("--tokenizer-type NullMultimodalTokenizer" + size), 128384);
}

TEST(MegatronVocabulary, is_refused_where_it_lies_in_files) {
  const std::string error = error_of([] {
    vocabulary_of("--tokenizer-type GPTSentencePieceTokenizer --tokenizer-model /a/b.model");
  });
  EXPECT_EQ(error,
            "run.sh:1:78: error: --tokenizer-model: the number of tokens is in the tokenizer's "
            "files: give it by --define VOCAB_SIZE=N");
  const auto is_refused = [](const std::string& text) {
    return error_of([&] { vocabulary_of(text); }).find("VOCAB_SIZE=N") != std::string::npos;
  };
  // 131072 tokens of Nordic languages, 99574 of llm-jp: only their types are those of public
  // models.
  EXPECT_TRUE(is_refused("--vocab-file /tokenizers/nordic_tokenizer_131072/vocab.json"));
  EXPECT_TRUE(
      is_refused("--tokenizer-type Llama2Tokenizer --tokenizer-model /t/llm-jp-100k.model"));
  EXPECT_TRUE(is_refused("--tokenizer-type HuggingFaceTokenizer --tokenizer-model $MODEL"));
}

}  // namespace
}  // namespace pipewright::test
