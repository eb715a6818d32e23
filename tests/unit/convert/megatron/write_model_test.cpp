#include <gtest/gtest.h>

#include "lines_of.hpp"

namespace pipewright::test {
namespace {

// 1024 is 4 x 256, so it is padded to 128 for each of 2 tensor ranks.
TEST(MegatronWriteModel, a_vocabulary_is_one_less_than_what_it_is_padded_to) {
  const std::string lines = lines_of(megatron::write_model, small_experiment);
  EXPECT_NE(lines.find("--vocab-size 1023\n--make-vocab-size-divisible-by 128\n"),
            std::string::npos);
  EXPECT_NE(lines.find("--num-layers 6\n--hidden-size 256\n--num-attention-heads 4\n"),
            std::string::npos);
  EXPECT_NE(lines.find("--swiglu\n"), std::string::npos);
  EXPECT_EQ(lines.find("group-query"), std::string::npos);
}

TEST(MegatronWriteModel, an_odd_vocabulary_is_said_as_it_is) {
  EXPECT_NE(lines_of(megatron::write_model,
                     "model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1001}}\n"
                     "cluster: {node: dgx-h100, nodes: 1}\nparallel: {data: 8}\n"
                     "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n")
                .find("--vocab-size 1001\n--make-vocab-size-divisible-by 1\n"),
            std::string::npos);
}

TEST(MegatronWriteModel, shared_keys_and_latent_attention_are_said) {
  const std::string rest =
      "cluster: {node: dgx-h100, nodes: 1}\nparallel: {data: 8}\n"
      "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n";
  EXPECT_NE(lines_of(megatron::write_model,
                     "model: {transformer: {layers: 6, hidden: 256, heads: 4, kv_heads: 2, "
                     "vocabulary: 1024}}\n" +
                         rest)
                .find("--group-query-attention\n--num-query-groups 2\n"),
            std::string::npos);
  EXPECT_NE(lines_of(megatron::write_model,
                     "model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1024, "
                     "latent: {query: 0, key_value: 64, nope: 32, rope: 16, value: 32}}}\n" +
                         rest)
                .find("--multi-latent-attention\n--kv-lora-rank 64\n--qk-head-dim 32\n"),
            std::string::npos);
}

TEST(MegatronWriteModel, norms_and_biases_of_heads_are_said) {
  const std::string lines =
      lines_of(megatron::write_model,
               "model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1024, bias: "
               "false, attention: {norm: head, bias: inputs}}}\n"
               "cluster: {node: dgx-h100, nodes: 1}\nparallel: {data: 8}\n"
               "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n");
  EXPECT_NE(lines.find("--qk-layernorm\n--add-qkv-bias\n"), std::string::npos);
}

TEST(MegatronWriteModel, layers_with_a_window_are_a_pattern) {
  const std::string lines =
      lines_of(megatron::write_model,
               "model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1024, window: "
               "64, mixers: [sliding, sliding, full], predict: 1}}\n"
               "cluster: {node: dgx-h100, nodes: 1}\nparallel: {data: 8}\n"
               "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n");
  EXPECT_NE(lines.find("--window-size '(63,0)'\n--window-attn-skip-freq '([1,1,0]*2)'\n"),
            std::string::npos)
      << lines;
  EXPECT_NE(lines.find("--mtp-num-layers 1\n"), std::string::npos);
}

// megatron/core/models/gpt/gpt_layer_specs.py: without it both are IdentityOp.
TEST(MegatronWriteModel, attention_of_low_rank_has_its_norms) {
  std::string latent = small_experiment;
  const std::string end = "gated: true}}";
  latent.replace(
      latent.find(end), end.size(),
      "gated: true, latent: {query: 32, key_value: 64, nope: 32, rope: 16, value: 32}}}");
  EXPECT_NE(lines_of(megatron::write_model, latent).find("--v-head-dim 32\n--qk-layernorm\n"),
            std::string::npos);
}

TEST(MegatronWriteModel, quick_geglu_stands_for_its_gate) {
  std::string quick = small_experiment;
  const std::string end = "gated: true}}";
  quick.replace(quick.find(end), end.size(), "gated: true}, constants: {hidden_act: quick_gelu}}");
  EXPECT_EQ(lines_of(megatron::write_model, quick).find("--swiglu"), std::string::npos);
  EXPECT_NE(lines_of(megatron::write_model, small_experiment).find("--swiglu"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
