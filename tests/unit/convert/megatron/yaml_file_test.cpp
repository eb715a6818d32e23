#include "convert/megatron/yaml_file.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

job::Import import_file(const std::string& language_model, const std::string& rest = {}) {
  const std::string text =
      "language_model: {num_layers: 8, hidden_size: 512, num_attention_heads: 8, " +
      language_model +
      "}\nmodel_parallel: {tensor_model_parallel_size: 2, bf16: True}\n"
      "micro_batch_size: 1\nglobal_batch_size: 32\nseq_length: 1024\n"
      "tokenizer_type: GPT2BPETokenizer\n" +
      rest;
  return megatron::import_yaml(
      {.text = text, .file = "a.yaml", .given = {{"NGPU", "8"}}, .partial = false, .read = {}});
}

// An MLP of SwiGLU is 4 x 2/3 as wide, in multiples of 64: 512 x 8 / 3 = 1365 makes 1344.
TEST(MegatronYaml, a_file_says_what_arguments_do) {
  const config::Value e = import_file(
                              "activation_func: swiglu, add_bias_linear: False, "
                              "num_query_groups: 2, kv_channels: null",
                              "group_query_attention: False\n")
                              .experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "ffn"}), "1344");
  EXPECT_EQ(at(e, {"model", "transformer", "kv_heads"}), "2");
  EXPECT_EQ(at(e, {"model", "transformer", "bias"}), "false");
  EXPECT_EQ(at(e, {"parallel", "data"}), "4");
  EXPECT_EQ(at(e, {"batch", "global"}), "32");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
}

TEST(MegatronYaml, what_cannot_be_said_is_named_where_it_stands) {
  EXPECT_EQ(error_of([] { import_file("layers: 3"); }),
            "a.yaml:1:83: error: 'language_model.layers' is no key of Megatron-LM that is known; "
            "--partial goes on without it, and says so in the experiment");
  EXPECT_NE(error_of([] {
              import_file("", "rampup_batch_size: [32, 1000]\n");
            }).find("rampup_batch_size needs a first batch"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
