#include "convert/accelerate/config_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Import import_accelerate(const std::string& text,
                              std::map<std::string, std::string> given = {}) {
  return accelerate::import_config({.text = text,
                                    .file = "a.yaml",
                                    .given = std::move(given),
                                    .partial = false,
                                    .read = {},
                                    .further = {},
                                    .model = "llama-2-7b"});
}

// 16 replicas of 4 sequences in 2 steps; each machine has the weights once.
TEST(Accelerate, fsdp_cuts_weights_as_its_strategy_says) {
  const config::Value e =
      import_accelerate(
          "distributed_type: FSDP\nmixed_precision: bf16\nnum_machines: 2\nnum_processes: 16\n"
          "fsdp_config: {fsdp_sharding_strategy: HYBRID_SHARD, fsdp_activation_checkpointing: "
          "true}\n",
          {{"per_device_train_batch_size", "4"},
           {"gradient_accumulation_steps", "2"},
           {"max_seq_length", "1024"}})
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "zero"}), "3");
  EXPECT_EQ(at(e, {"parallel", "shard"}), "8");
  EXPECT_EQ(at(e, {"batch", "global"}), "128");
  EXPECT_EQ(at(e, {"batch", "sequence"}), "1024");
  EXPECT_EQ(at(e, {"gradients"}), "bf16");
  EXPECT_EQ(at(e, {"recompute"}), "full");
  EXPECT_EQ(at(e, {"framework"}), "torch");
  EXPECT_EQ(at(e, {"cluster", "nodes"}), "2");
}

TEST(Accelerate, a_plugin_of_deepspeed_is_its_configuration) {
  const config::Value e =
      import_accelerate(
          "distributed_type: DEEPSPEED\nmixed_precision: fp16\nnum_processes: 8\n"
          "deepspeed_config: {zero_stage: 2, offload_optimizer_device: cpu, "
          "gradient_accumulation_steps: 4}\n",
          {{"per_device_train_batch_size", "2"}})
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "zero"}), "2");
  EXPECT_EQ(at(e, {"offload"}), "optimizer");
  EXPECT_EQ(at(e, {"batch", "global"}), "64");  // 8 devices x 2 sequences x 4 steps
  EXPECT_EQ(at(e, {"precision"}), "fp16");
  EXPECT_EQ(at(e, {"framework"}), "deepspeed");
}

// DeepSpeedPlugin makes unsaid steps "auto", and the Trainer puts its argument in.
TEST(Accelerate, unsaid_steps_of_deepspeed_are_the_programs) {
  const std::string text =
      "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config: {zero_stage: 2}\n";
  EXPECT_EQ(at(import_accelerate(text, {{"per_device_train_batch_size", "2"},
                                        {"gradient_accumulation_steps", "4"}})
                   .experiment,
               {"batch", "global"}),
            "64");
  EXPECT_EQ(at(import_accelerate(text, {{"per_device_train_batch_size", "2"}}).experiment,
               {"batch", "global"}),
            "16");
}

TEST(Accelerate, the_plugin_of_megatron_has_degrees) {
  const config::Value e =
      import_accelerate(
          "distributed_type: MEGATRON_LM\nmixed_precision: bf16\nnum_processes: 16\n"
          "megatron_lm_config: {megatron_lm_tp_degree: 2, megatron_lm_pp_degree: 2, "
          "megatron_lm_num_micro_batches: 4, megatron_lm_sequence_parallelism: true, "
          "megatron_lm_recompute_activations: true, megatron_lm_use_distributed_optimizer: true}\n",
          {{"per_device_train_batch_size", "1"}})
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "2");
  EXPECT_EQ(at(e, {"parallel", "data"}), "4");
  EXPECT_EQ(at(e, {"parallel", "sequence"}), "true");
  EXPECT_EQ(at(e, {"batch", "global"}), "16");
  EXPECT_EQ(at(e, {"recompute"}), "selective");
  EXPECT_EQ(at(e, {"gradients"}), "fp32");
}

TEST(Accelerate, later_versions_of_megatrons_plugin_say_what_runs_again) {
  const std::string start =
      "distributed_type: MEGATRON_LM\nnum_processes: 8\nmegatron_lm_config: "
      "{megatron_lm_context_parallel_size: 2, megatron_lm_recompute_granularity: ";
  const config::Value e = import_accelerate(start + "full}\n").experiment;
  EXPECT_EQ(at(e, {"recompute"}), "full");
  EXPECT_EQ(at(e, {"parallel", "context", "degree"}), "2");
  EXPECT_EQ(at(e, {"parallel", "context", "exchange"}), "ring");
  EXPECT_NE(error_of([&] { import_accelerate(start + "some}\n"); }).find("it is full or selective"),
            std::string::npos);
}

TEST(Accelerate, sequences_that_deepspeed_divides_are_refused) {
  EXPECT_NE(error_of([] {
              import_accelerate(
                  "distributed_type: FSDP\nnum_processes: 8\n"
                  "parallelism_config: {parallelism_config_sp_size: 2}\n");
            }).find("sequences that DeepSpeed divides are not read"),
            std::string::npos);
}

/// What the program does not say of its sequences is the model's word: llama-2-7b has 4096 tokens.
TEST(Accelerate, sequences_are_those_of_the_model) {
  for (const char* type : {"'NO'", "FSDP", "MEGATRON_LM"}) {
    const std::string job = std::string("num_processes: 8\ndistributed_type: ") + type + '\n';
    const config::Value e = import_accelerate(job).experiment;
    EXPECT_EQ(at(e, {"model", "sequence"}), "4096") << type;
    EXPECT_EQ(at(e, {"batch", "sequence"}), "none") << type;
  }
}

/// A config.json without max_position_embeddings does not say it.
TEST(Accelerate, sequences_that_nobody_says_are_asked_for) {
  const job::Source source{.text = "distributed_type: FSDP\nnum_processes: 8\n",
                           .file = "a.yaml",
                           .given = {},
                           .read = {},
                           .further = {{"config.json", R"({"model_type": "bloom",
      "hidden_size": 256, "n_head": 4, "n_layer": 3, "vocab_size": 1000})"}}};
  EXPECT_EQ(error_of([&] { accelerate::import_config(source); }),
            "a.yaml:1:1: error: nothing here says how long sequences are: --define "
            "max_seq_length=N says it");
}

TEST(Accelerate, what_is_assumed_is_said) {
  const job::Import import = import_accelerate("distributed_type: 'NO'\n");
  EXPECT_TRUE(std::ranges::any_of(import.assumed, [](const std::string& line) {
    return line.find("per_device_train_batch_size") != std::string::npos;
  }));
  EXPECT_EQ(at(import.experiment, {"precision"}), "fp32");
}

TEST(Accelerate, what_cannot_be_said_is_named_where_it_stands) {
  EXPECT_EQ(error_of([] { import_accelerate("a: 1\n"); }),
            "a.yaml:1:1: error: no distributed_type of accelerate is here");
  EXPECT_NE(error_of([] {
              import_accelerate("distributed_type: XLA\n");
            }).find("a.yaml:1:19: error: distributed_type: XLA cannot be said"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              import_accelerate("distributed_type: FSDP\nfsdp_confg: {a: 1}\n");
            }).find("'fsdp_confg.a' is no key of accelerate"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              import_accelerate("distributed_type: FSDP\n", {{"batch", "3"}});
            }).find("--define batch=3"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              import_accelerate(
                  "distributed_type: FSDP\nnum_processes: 8\n"
                  "parallelism_config: {parallelism_config_tp_size: 3}\n");
            }).find("8 processes are no multiple of tensor 3"),
            std::string::npos);
}

// accelerator.py, prepare_model: the forward pass of copies runs under torch.autocast.
TEST(Accelerate, copies_cast_what_products_read) {
  const config::Value e = import_accelerate(
                              "distributed_type: MULTI_GPU\nmixed_precision: bf16\n"
                              "num_processes: 8\n")
                              .experiment;
  EXPECT_EQ(at(e, {"precision", "autocast"}), "bf16");
  EXPECT_EQ(at(e, {"gradients"}), "fp32");
  EXPECT_EQ(at(e, {"framework"}), "torch");
}

// commands/launch.py: simple_launcher starts the program by itself.
TEST(Accelerate, without_distribution_there_is_one_process) {
  const std::string text =
      "distributed_type: 'NO'\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\n";
  const job::Import import = import_accelerate(text);
  EXPECT_EQ(at(import.experiment, {"batch", "global"}), "8");
  EXPECT_EQ(at(import.experiment, {"cluster", "devices"}), "1");
  EXPECT_EQ(at(import_accelerate(text, {{"NGPU", "4"}}).experiment, {"parallel", "data"}), "4");
}

TEST(Accelerate, processes_of_deepspeed_lie_on_its_machines) {
  const config::Value e =
      import_accelerate("distributed_type: DEEPSPEED\nnum_machines: 2\nnum_processes: 8\n")
          .experiment;
  EXPECT_EQ(at(e, {"cluster", "nodes"}), "2");
  EXPECT_EQ(at(e, {"cluster", "devices"}), "8");
}

// TrainingArguments: -1 steps are all epochs; Liger's kernels make the logits by pieces.
TEST(Accelerate, arguments_of_transformers_say_optimizer_and_kernels) {
  const std::string fsdp = "distributed_type: FSDP\nnum_processes: 8\n";
  const config::Value e = import_accelerate(fsdp, {{"optim", "adafactor"},
                                                   {"max_steps", "-1"},
                                                   {"max_seq_length", "512"},
                                                   {"use_liger_kernel", "true"},
                                                   {"attn_implementation", "eager"}})
                              .experiment;
  EXPECT_EQ(e.find("optimizer")->text, "adafactor");
  EXPECT_EQ(e.find("loss")->text, "chunked");
  EXPECT_EQ(e.find("kernels")->text, "fused");
  EXPECT_EQ(e.find("attention")->text, "unfused");
  EXPECT_FALSE(e.find("training"));
  EXPECT_NE(error_of([&] {
              import_accelerate(fsdp, {{"optim", "paged_adamw_8bit"}});
            }).find("paged_adamw_8bit cannot be said"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
