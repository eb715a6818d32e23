#include "convert/neox/config_file.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

std::string at(const config::Value& value, std::initializer_list<const char*> path) {
  const config::Value* place = &value;
  for (const char* key : path) {
    place = place->find(key);
    if (!place) return "none";
  }
  return place->text;
}

job::Import import_config(const std::string& more, std::vector<job::Further> further = {},
                          std::map<std::string, std::string> given = {{"NGPU", "16"}}) {
  const std::string text =
      "{\n\"pipe_parallel_size\": 2, \"model-parallel-size\": 2, \"num_layers\": 4,\n"
      "\"hidden_size\": 256, \"num_attention_heads\": 4, \"seq_length\": 512,\n" +
      more + "\n}\n";
  return neox::import_config({.text = text,
                              .file = "a.yml",
                              .given = std::move(given),
                              .partial = false,
                              .read = {},
                              .further = std::move(further)});
}

const std::string batch =
    "\"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 8,\n";

// 96 sequences are 4 sequences x 8 steps x 3 replicas, each of 2 x 2 ranks.
TEST(NeoxConfig, three_numbers_of_a_batch_say_the_devices) {
  const config::Value e =
      import_config(batch +
                        "\"train_batch_size\": 96, \"tokenizer_type\": \"HFTokenizer\",\n"
                        "\"vocab_file\": \"/x/20B_tokenizer.json\"",
                    {}, {})
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "data"}), "3");
  EXPECT_EQ(at(e, {"batch", "global"}), "96");
}

// calculate_batch_parameters: 4 sequences x 8 steps x 16 / 2 / 2 replicas.
TEST(NeoxConfig, a_configuration_says_what_gpt_neox_does_with_it) {
  const config::Value e =
      import_config(
          batch +
          "\"fp16\": {\"enabled\": True}, \"zero_optimization\": {\"stage\": 1},\n"
          "\"optimizer\": {\"type\": \"Adam\", \"params\": {\"lr\": 0.1}},\n"
          "\"pos_emb\": \"rotary\", \"no_weight_tying\": true, \"gpt_j_residual\": true,\n"
          "\"vocab_file\": \"/x/20B_tokenizer.json\", \"tokenizer_type\": \"HFTokenizer\",\n"
          "\"checkpoint_activations\": true, \"checkpoint_num_layers\": 1")
          .experiment;
  EXPECT_EQ(at(e, {"batch", "global"}), "128");
  EXPECT_EQ(at(e, {"batch", "micro"}), "4");
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "2");
  EXPECT_EQ(at(e, {"parallel", "pipeline"}), "2");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "1");
  EXPECT_EQ(at(e, {"precision"}), "fp16");
  EXPECT_EQ(at(e, {"optimizer"}), "adam");
  EXPECT_EQ(at(e, {"recompute"}), "full");
  EXPECT_EQ(at(e, {"attention"}), "unfused");
  // 50277 tokens in multiples of 128 x 2.
  EXPECT_EQ(at(e, {"model", "transformer", "vocabulary"}), "50432");
  EXPECT_EQ(at(e, {"model", "transformer", "positions"}), "rope");
  EXPECT_EQ(at(e, {"model", "transformer", "tied_embeddings"}), "false");
  EXPECT_EQ(at(e, {"model", "transformer", "parallel_block"}), "true");
  EXPECT_EQ(at(e, {"model", "transformer", "dropout"}), "false");
}

TEST(NeoxConfig, the_mlp_of_llama_has_no_biases) {
  const config::Value e = import_config(batch + "\"mlp_type\": \"llama\"").experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "bias"}), "false");
  EXPECT_EQ(at(e, {"model", "transformer", "attention", "bias"}), "all");
}

TEST(NeoxConfig, a_named_precision_holds) {
  const config::Value e = import_config(batch + "\"precision\": \"bfloat16\"").experiment;
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(error_of([] {
              import_config(batch + "\"precision\": \"fp16\", \"bf16\": {\"enabled\": true}");
            }),
            "a.yml:5:30: error: is enabled, and precision is fp16");
}

// PyYAML's whole numbers: digits with underscores between them.
TEST(NeoxConfig, numbers_may_have_underscores) {
  const config::Value e =
      import_config(batch +
                    "\"fp16\": {\"enabled\": True}, \"iteration\": 1_000,\n"
                    "\"zero_optimization\": {\"stage\": 1, \"reduce_bucket_size\": 50_000_000}")
          .experiment;
  EXPECT_EQ(at(e, {"data", "bucket"}), "100000000 B");
}

TEST(NeoxConfig, biases_are_said_apart) {
  const config::Value e = import_config(batch + "\"use_bias_in_attn_linear\": False").experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "bias"}), "true");
  EXPECT_EQ(at(e, {"model", "transformer", "attention", "bias"}), "none");
}

// from_ymls refuses a key that two files say.
TEST(NeoxConfig, a_job_may_have_several_files) {
  const config::Value e =
      import_config("", {{.word = "b.yml", .text = "{" + batch + "\"gas\": 1}"}}).experiment;
  EXPECT_EQ(at(e, {"batch", "global"}), "128");
  EXPECT_EQ(error_of([] { import_config(batch, {{.word = "b.yml", .text = "seq_length: 3"}}); }),
            "b.yml:1:1: error: 'seq_length' is said by another file already");
}

TEST(NeoxConfig, what_is_missing_or_cannot_be_said_is_named) {
  EXPECT_EQ(
      error_of([] { import_config(""); }),
      "a.yml:1:1: error: train_batch_size or train_micro_batch_size_per_gpu is missing: a job "
      "of GPT-NeoX may be several files, of which all are given");
  EXPECT_NE(error_of([] {
              import_config(batch + "\"train_impl\": \"dpo\"");
            }).find("train_impl: dpo cannot be said: only pretraining can be said"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              import_config(batch + "\"no_such_key\": 1");
            }).find("'no_such_key' is no key of GPT-NeoX that is known"),
            std::string::npos);
}

// megatron/model/moe.py: experts without capacity in every second layer.
TEST(NeoxConfig, experts_have_no_capacity) {
  const std::string experts =
      "\"moe_num_experts\": 8, \"moe_top_k\": 2, \"moe_expert_interval\": 2, \"bf16\": "
      "{\"enabled\": "
      "true}, \"fp16\": {\"enabled\": false}, \"zero_optimization\": {\"stage\": 1}";
  const job::Import import = import_config(batch + experts);
  const config::Value& e = import.experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "count"}), "8");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "active"}), "2");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "ffn"}), "1024");
  EXPECT_EQ(at(e, {"model", "transformer", "experts", "capacity"}), "none");
  EXPECT_NE(error_of([&] {
              import_config(batch + experts + ", \"activation\": \"swiglu\"");
            }).find("experts with a gate cannot be said"),
            std::string::npos);
}

// LLaMAParallelMLP: 8/3 x 256 = 682 in multiples of 256.
TEST(NeoxConfig, llama_had_an_mlp_of_its_own) {
  const config::Value e =
      import_config(batch + "\"mlp_type\": \"llama\", \"fp16\": {\"enabled\": true}").experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "ffn"}), "768");
  EXPECT_EQ(at(e, {"model", "transformer", "gated"}), "true");
}

}  // namespace
}  // namespace pipewright::test
