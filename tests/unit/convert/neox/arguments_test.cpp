#include "convert/neox/arguments.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

// ParallelMLP of GPT-NeoX: a gated MLP keeps 2/3 of the width in two halves. Its configuration of
// LLaMA 7B says 32768 in multiples of 256, and LLaMA 7B is 11008 wide (arXiv 2302.13971's code).
TEST(NeoxArguments, a_gated_mlp_keeps_its_parameters) {
  EXPECT_EQ(neox::inner_width(32768, true, 256), 11008);
  EXPECT_EQ(neox::inner_width(16384, false, 1), 16384);
  EXPECT_EQ(neox::inner_width(14336, true, 14336), 14336);
}

std::string arguments(const std::string& text) {
  const job::Source source{.text = text, .file = "a.yml", .given = {}};
  job::Import import;
  job::Settings settings(config::parse(text, "a.yml"), source, import);
  std::string all;
  for (const job::Word& word : neox::model_arguments(settings))
    all += (all.empty() ? "" : " ") + word.text;
  return all;
}

// neox_args.py: unsaid dropout is 0, the norm is layernorm, positions are learned and attention is
// global; 0 pipeline stages are one.
TEST(NeoxArguments, unsaid_values_are_gpt_neoxs) {
  EXPECT_EQ(arguments("{num_layers: 2, hidden_size: 64, pipe_parallel_size: 0}"),
            "--num-layers 2 --hidden-size 64 --tensor-model-parallel-size 1 "
            "--pipeline-model-parallel-size 1 --ffn-hidden-size 256 --normalization LayerNorm "
            "--position-embedding-type learned_absolute --attention-dropout 0 --hidden-dropout 0 "
            "--tokenizer-type GPT2BPETokenizer --use-legacy-models --transformer-impl local");
}

TEST(NeoxArguments, layers_are_of_one_kind_of_attention) {
  EXPECT_NE(
      arguments("{hidden_size: 64, attention_config: [[[flash], 2]]}").find("--use-flash-attn"),
      std::string::npos);
  EXPECT_THROW(arguments("{hidden_size: 64, attention_config: [[[mamba], 2]]}"), InputError);
  EXPECT_THROW(arguments("{hidden_size: 64, attention_config: [[[global, flash], 1]]}"),
               InputError);
}

TEST(NeoxArguments, transformer_engine_has_attention_of_its_own) {
  EXPECT_NE(arguments("{hidden_size: 64, te_mha: true}").find("--use-flash-attn"),
            std::string::npos);
  EXPECT_EQ(arguments("{hidden_size: 64, te_mha: false}").find("--use-flash-attn"),
            std::string::npos);
}

TEST(NeoxArguments, queries_and_keys_may_have_norms) {
  EXPECT_NE(arguments("{hidden_size: 64, use_qk_layernorm: true}").find("--qk-layernorm"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
