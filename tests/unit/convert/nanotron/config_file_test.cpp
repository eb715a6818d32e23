#include "convert/nanotron/config_file.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Import import_yaml(const std::string& text) {
  return nanotron::import_config(
      {.text = text, .file = "c.yaml", .given = {}, .partial = false, .read = {}});
}

const std::string small =
    "model:\n  dtype: bfloat16\n  make_vocab_size_divisible_by: 64\n  model_config:\n"
    "    hidden_size: 256\n    intermediate_size: 1024\n    num_attention_heads: 8\n"
    "    num_hidden_layers: 4\n    num_key_value_heads: 4\n    vocab_size: 1_000\n"
    "optimizer: {zero_stage: 1, accumulate_grad_in_fp32: true}\n"
    "tokens: {micro_batch_size: 2, batch_accumulation_per_replica: 8, sequence_length: 128}\n";

// 3 replicas x 8 micro-batches of 2; a vocabulary in multiples of 64 on two ranks.
TEST(Nanotron, a_configuration_is_an_experiment) {
  const config::Value e =
      import_yaml(small +
                  "parallelism: {dp: 3, pp: 2, tp: 2, pp_engine: afab, tp_mode: REDUCE_SCATTER}\n")
          .experiment;
  EXPECT_EQ(at(e, {"batch", "global"}), "48");
  EXPECT_EQ(at(e, {"model", "transformer", "vocabulary"}), "1024");
  EXPECT_EQ(at(e, {"parallel", "sequence"}), "true");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "1");
  EXPECT_EQ(at(e, {"schedule"}), "gpipe");
  EXPECT_EQ(at(e, {"framework"}), "nanotron");
  EXPECT_FALSE(e.find("partition"));  // the framework's own
  EXPECT_EQ(at(e, {"gradients"}), "fp32");
  EXPECT_EQ(at(e, {"cluster", "devices"}), "12");
}

// XGLM's positions and MLP are not those of Llama.
TEST(Nanotron, a_model_of_another_class_is_refused) {
  const std::string parallel = "parallelism: {dp: 2, pp: 1, tp: 1}\n";
  const auto with = [&](const std::string& key) {
    std::string text = small;
    return error_of([&] {
      import_yaml(text.replace(text.find("    hidden_size"), 0, "    " + key + "\n") + parallel);
    });
  };
  EXPECT_NE(with("activation_function: gelu").find("an MLP of another activation"),
            std::string::npos);
  EXPECT_NE(with("sinusoidal_position_embedding: true").find("none of Llama's"), std::string::npos);
  EXPECT_NE(with("is_gpt3_config: true").find("of this class is not read"), std::string::npos);
  EXPECT_EQ(with("is_llama_config: true"), "no error");
}

// The run that makes the reference model has one model only.
TEST(Nanotron, a_second_model_is_refused_where_there_is_one) {
  const std::string whole = small + "parallelism: {dp: 1, pp: 1, tp: 1}\n";
  EXPECT_EQ(error_of([&] { import_yaml(whole + "doremi: {domain_names: a}\n"); }), "no error");
  EXPECT_NE(error_of([&] {
              import_yaml(whole + "doremi: {ref_model_resume_checkpoint_path: /m}\n");
            }).find("a second model"),
            std::string::npos);
}

TEST(Nanotron, what_cannot_be_said_is_named_where_it_stands) {
  EXPECT_EQ(error_of([] { import_yaml("a: 1\n"); }),
            "c.yaml:1:1: error: no 'parallelism' of nanotron is here");
  EXPECT_NE(error_of([] {
              import_yaml(small + "parallelism: {dp: 1, pp: 1, tp: 1, shape: 2}\n");
            }).find("c.yaml:13:43: error: 'parallelism.shape' is no key"),
            std::string::npos);
}

const std::string rest =
    "parallelism: {dp: 2, pp: 1, tp: 1}\noptimizer: {zero_stage: 0}\n"
    "tokens: {micro_batch_size: 2, batch_accumulation_per_replica: 8, sequence_length: 128}\n";

// models/starcoder2.py: biases, a tied embedding, an MLP of 4 x 256, one group where nobody says.
TEST(Nanotron, starcoder_is_a_gpt_that_rotates) {
  const std::string sizes =
      "model:\n  model_config: {is_starcoder2_config: true, hidden_size: 256, num_hidden_layers: "
      "4,\n"
      "    num_attention_heads: 8, vocab_size: 1000, sliding_window_size: 64, resid_pdrop: 0,\n"
      "    attn_pdrop: 0, embd_pdrop: 0, rope_theta: 100000";
  const config::Value e =
      import_yaml(sizes + ", grouped_query: true, num_kv_heads: 4}\n" + rest).experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "kv_heads"}), "4");
  EXPECT_EQ(at(e, {"model", "transformer", "ffn"}), "1024");
  EXPECT_EQ(at(e, {"model", "transformer", "gated"}), "false");
  EXPECT_EQ(at(e, {"model", "transformer", "bias"}), "true");
  EXPECT_EQ(at(e, {"model", "transformer", "dropout"}), "false");
  EXPECT_EQ(at(e, {"model", "transformer", "window"}), "64");
  EXPECT_EQ(at(e, {"model", "transformer", "tied_embeddings"}), "true");
  EXPECT_EQ(at(e, {"model", "constants", "rope_theta"}), "100000");
  EXPECT_EQ(at(import_yaml(sizes + "}\n" + rest).experiment, {"model", "transformer", "kv_heads"}),
            "1");
}

// config/models_config.py, MoEConfig: 8 experts, 2 of them active, of 1408.
TEST(Nanotron, every_rank_has_all_experts_of_qwen) {
  const std::string sizes =
      "model:\n  model_config: {is_qwen2_config: true, hidden_size: 256, num_attention_heads: 8,\n"
      "    intermediate_size: 512, moe_config: {enable_shared_expert: true,\n"
      "    shared_expert_intermediate_size: 1024, layers: [-1]}}\n";
  const config::Value e = import_yaml(sizes + rest).experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "count"}), "8");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "active"}), "2");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "ffn"}), "1408");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "shared_ffn"}), "1024");
  std::string cut = rest;
  cut.replace(cut.find("tp: 1"), 5, "tp: 2");
  EXPECT_NE(error_of([&] { import_yaml(sizes + cut); }).find("every tensor rank has whole"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
