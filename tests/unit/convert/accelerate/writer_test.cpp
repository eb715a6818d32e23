#include "convert/accelerate/writer.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "../megatron/lines_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

/// 16 devices, without `parallel`.
const std::string job =
    "model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1024, gated: true}}\n"
    "cluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8}}\n"
    "batch: {global: 64, micro: 2, sequence: 128}\nschedule: 1f1b\n";

config::Value written(const std::string& more) {
  return config::parse(accelerate::write_config(experiment_of(job + more)), "config.yaml");
}

TEST(AccelerateWriter, stages_are_of_megatrons_plugin) {
  const config::Value config = written(
      "parallel: {tensor: 2, pipeline: 2, data: 4, sequence: true, zero: 1}\n"
      "recompute: selective\n");
  EXPECT_EQ(at(config, {"distributed_type"}), "MEGATRON_LM");
  EXPECT_EQ(at(config, {"num_processes"}), "16");
  EXPECT_EQ(at(config, {"num_machines"}), "2");
  EXPECT_EQ(at(config, {"megatron_lm_config", "megatron_lm_tp_degree"}), "2");
  EXPECT_EQ(at(config, {"megatron_lm_config", "megatron_lm_pp_degree"}), "2");
  EXPECT_EQ(at(config, {"megatron_lm_config", "megatron_lm_num_micro_batches"}), "8");
  EXPECT_EQ(at(config, {"megatron_lm_config", "megatron_lm_use_distributed_optimizer"}), "true");
  EXPECT_EQ(at(config, {"megatron_lm_config", "megatron_lm_recompute_granularity"}), "selective");
}

// 16 replicas of which 8 share the weights are 2 copies.
TEST(AccelerateWriter, weights_that_are_cut_are_of_fsdp) {
  const config::Value config = written(
      "parallel: {data: 16, zero: 3, shard: 8, reshard: false}\nframework: torchtitan\n"
      "gradients: bf16\nrecompute: full\nkernels: fused\n");
  EXPECT_EQ(at(config, {"distributed_type"}), "FSDP");
  EXPECT_EQ(at(config, {"fsdp_config", "fsdp_version"}), "2");
  EXPECT_EQ(at(config, {"fsdp_config", "fsdp_reshard_after_forward"}), "false");
  EXPECT_EQ(at(config, {"fsdp_config", "fsdp_activation_checkpointing"}), "true");
  EXPECT_EQ(at(config, {"parallelism_config", "parallelism_config_dp_replicate_size"}), "2");
  EXPECT_EQ(at(config, {"parallelism_config", "parallelism_config_dp_shard_size"}), "8");
  EXPECT_EQ(at(config, {"dynamo_config", "dynamo_backend"}), "INDUCTOR");
}

TEST(AccelerateWriter, small_weights_beside_wide_gradients_are_refused) {
  for (const char* how : {"parallel: {data: 16}\nframework: torch\n",
                          "parallel: {data: 16, zero: 3}\nframework: torch\n",
                          "parallel: {data: 16, zero: 2}\nframework: deepspeed\n"})
    EXPECT_NE(error_of([&] {
                written(std::string(how) + "precision: bf16\ngradients: fp32\n");
              }).find("accelerate cannot say gradients in fp32 beside weights in bf16"),
              std::string::npos)
        << how;
  EXPECT_EQ(at(written("parallel: {data: 16}\nframework: torch\nprecision: {autocast: bf16}\n"
                       "gradients: fp32\n"),
               {"mixed_precision"}),
            "bf16");
}

TEST(AccelerateWriter, gradients_in_the_small_format_without_shards_are_of_the_first_fsdp) {
  const config::Value config = written("parallel: {data: 16}\nframework: torch\ngradients: bf16\n");
  EXPECT_EQ(at(config, {"fsdp_config", "fsdp_version"}), "1");
  EXPECT_EQ(at(config, {"fsdp_config", "fsdp_sharding_strategy"}), "NO_SHARD");
}

TEST(AccelerateWriter, deepspeed_has_its_stage_and_its_steps) {
  const config::Value config = written(
      "parallel: {data: 16, zero: 2}\nframework: deepspeed\noffload: optimizer\n"
      "gradients: bf16\n");
  EXPECT_EQ(at(config, {"distributed_type"}), "DEEPSPEED");
  EXPECT_EQ(at(config, {"deepspeed_config", "zero_stage"}), "2");
  EXPECT_EQ(at(config, {"deepspeed_config", "gradient_accumulation_steps"}), "2");
  EXPECT_EQ(at(config, {"deepspeed_config", "offload_optimizer_device"}), "cpu");
}

// PyYAML reads NO and no as false.
TEST(AccelerateWriter, words_that_yaml_takes_for_truths_are_quoted) {
  const std::string config = accelerate::write_config(experiment_of(
      job + "parallel: {data: 16}\nframework: torch\nprecision: fp32\ngradients: fp32\n"));
  EXPECT_NE(config.find("distributed_type: \"MULTI_GPU\""), std::string::npos);
  EXPECT_NE(config.find("mixed_precision: \"no\""), std::string::npos);
}

TEST(AccelerateWriter, what_the_program_takes_is_told_by_name) {
  const auto arguments = accelerate::program_arguments(experiment_of(
      job + "parallel: {data: 16}\nframework: torch\nrecompute: full\ngradients: fp32\n"));
  EXPECT_EQ(arguments.at("per_device_train_batch_size"), "2");
  EXPECT_EQ(arguments.at("gradient_accumulation_steps"), "2");
  EXPECT_EQ(arguments.at("max_seq_length"), "128");
  EXPECT_EQ(arguments.at("gradient_checkpointing"), "true");
}

// Without keys of version 1.13 the plugin keeps activations and has no context groups.
TEST(AccelerateWriter, the_plugin_of_megatron_runs_layers_again_with_context_groups) {
  const std::string pipeline = "parallel: {pipeline: 2, context: 2, data: 4, zero: 1}\n";
  const config::Value config = written(pipeline + "recompute: full\n");
  EXPECT_EQ(at(config, {"megatron_lm_config", "megatron_lm_context_parallel_size"}), "2");
  EXPECT_EQ(at(config, {"megatron_lm_config", "megatron_lm_recompute_granularity"}), "full");
  EXPECT_NE(error_of([&] { written(pipeline); }).find("runs layers again"), std::string::npos);
  const config::Value plain = written("parallel: {pipeline: 2, data: 8, zero: 1}\n");
  EXPECT_FALSE(plain.find("megatron_lm_config")->find("megatron_lm_context_parallel_size"));
  EXPECT_FALSE(plain.find("megatron_lm_config")->find("megatron_lm_recompute_granularity"));
}

}  // namespace
}  // namespace pipewright::test
