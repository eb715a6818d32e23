#include "convert/megatron/given_sizes.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

std::string refused(const std::string& text) {
  return error_of([&] {
    FlagsOf given(text);
    megatron::accept_given_sizes(*given.flags,
                                 config::parse("{layers: 2, vocabulary: 128, hidden: 4096, heads: "
                                               "32, kv_heads: 8, gated: true, norm: rmsnorm, "
                                               "positions: rope, experts: {count: 8, active: 2}}",
                                               "x"));
    given.flags->refuse_unused("model.", "the model is given");
  });
}

TEST(MegatronGivenSizes, that_agree_with_the_model_may_stand) {
  EXPECT_EQ(refused("--hidden-size 4096 --group-query-attention --num-query-groups 8 --swiglu "
                    "--normalization RMSNorm"),
            "no error");
  EXPECT_NE(refused("--hidden-size 2048").find("--hidden-size 2048 cannot be said"),
            std::string::npos);
  EXPECT_NE(refused("--group-query-attention --num-query-groups 4"), "no error");
  EXPECT_NE(refused("--normalization LayerNorm"), "no error");
}

TEST(MegatronGivenSizes, the_model_has_its_tokens_and_positions) {
  EXPECT_EQ(refused("--tokenizer-type Llama2Tokenizer --tokenizer-model $MODEL "
                    "--use-rotary-position-embeddings --no-position-embedding"),
            "no error");
  EXPECT_NE(refused("--position-embedding-type learned_absolute"), "no error");
}

TEST(MegatronGivenSizes, experts_are_compared_too) {
  EXPECT_EQ(refused("--num-experts 8 --moe-router-topk 2"), "no error");
  EXPECT_NE(refused("--num-experts 16"), "no error");
}

// What several keys say together: 2 shared experts of 512, layers of experts behind a dense one.
TEST(MegatronGivenSizes, values_that_are_the_models_own_may_stand) {
  const auto refused_of = [](const std::string& text) {
    return error_of([&] {
      FlagsOf given(text);
      megatron::accept_given_sizes(
          *given.flags,
          config::parse("{layers: 4, vocabulary: 128, hidden: 1024, heads: 8, window: 64, "
                        "window_every: 2, experts: {count: 8, ffn: 512, shared: 2, dense: 1}}",
                        "x"));
      given.flags->refuse_unused("model.", "the model is given");
    });
  };
  EXPECT_EQ(
      refused_of("--moe-shared-expert-intermediate-size 1024 --moe-layer-freq '([0]*1+[1]*3)' "
                 "--window-size '(63,0)' --window-attn-skip-freq 2"),
      "no error");
  EXPECT_NE(refused_of("--moe-shared-expert-intermediate-size 512"), "no error");
  EXPECT_NE(refused_of("--moe-layer-freq 1"), "no error");
  EXPECT_NE(refused_of("--window-size '(64,0)'"), "no error");
}

// The model decides where the job says of one of them only that it is 0.
TEST(MegatronGivenSizes, the_job_says_dropout) {
  const auto dropout = [](const std::string& text, const std::string& of_model) {
    FlagsOf given(text);
    config::Value transformer = config::parse("{dropout: " + of_model + "}", "x");
    megatron::take_dropout(*given.flags, transformer);
    given.flags->refuse_unused("model.", "the model is given");
    return at(transformer, {"dropout"});
  };
  EXPECT_EQ(dropout("--attention-dropout 0.0 --hidden-dropout 0.0", "true"), "false");
  EXPECT_EQ(dropout("--attention-dropout 0.1 --hidden-dropout 0.0", "false"), "true");
  EXPECT_EQ(dropout("--hidden-dropout 0.0", "true"), "true");
}

TEST(MegatronGivenSizes, what_is_refused_is_not_listed_as_unused) {
  FlagsOf given("--hidden-size 2048", true);
  given.flags->refuse_unused("model.", "the model is given");
  given.flags->review();
  EXPECT_EQ(given.import.refused.size(), 1u);
  EXPECT_TRUE(given.import.unused.empty());
}

TEST(MegatronGivenSizes, latent_attention_is_compared_too) {
  const auto refused_of = [](const std::string& text) {
    return error_of([&] {
      FlagsOf given(text);
      megatron::accept_given_sizes(
          *given.flags, config::parse("{layers: 2, vocabulary: 128, hidden: 4096, heads: 32, "
                                      "latent: {query: 1536, key_value: 512, nope: 128, rope: 64, "
                                      "value: 128}, predict: 1}",
                                      "x"));
      given.flags->refuse_unused("model.", "the model is given");
    });
  };
  EXPECT_EQ(refused_of("--multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 "
                       "--qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128 "
                       "--qk-layernorm --mtp-num-layers 1 --vocab-extra-ids 0"),
            "no error");
  EXPECT_NE(refused_of("--kv-lora-rank 256"), "no error");
  EXPECT_NE(refused("--qk-layernorm"), "no error");
}

// 4 ranks hold 128257 tokens in multiples of 128.
TEST(MegatronGivenSizes, the_job_says_how_tokens_are_padded) {
  const auto padded = [](const std::string& text) {
    FlagsOf given(text);
    config::Value transformer = config::parse("{vocabulary: 128257}", "x");
    megatron::take_padding(*given.flags, 4, transformer);
    return at(transformer, {"vocabulary"});
  };
  EXPECT_EQ(padded(""), "128257");
  EXPECT_EQ(padded("--make-vocab-size-divisible-by 128"), "128512");
  EXPECT_EQ(padded("--make-vocab-size-divisible-by 128 --use-checkpoint-args"), "128257");
}

}  // namespace
}  // namespace pipewright::test
