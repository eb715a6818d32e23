#include "convert/megatron_bridge/writer.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "../megatron/lines_of.hpp"

namespace pipewright::test {
namespace {

config::Value recipe_of(const std::string& more) {
  return config::parse(megatron_bridge::write_recipe(experiment_of(small_experiment + more)),
                       "r.yaml");
}

TEST(MegatronBridgeWriter, sections_are_those_of_a_configuration) {
  const config::Value recipe = recipe_of("partition: [1, 2, 2, 1]\nrecompute: selective\n");
  EXPECT_EQ(at(recipe, {"model", "num_layers"}), "6");
  EXPECT_EQ(at(recipe, {"model", "gated_linear_unit"}), "true");
  EXPECT_EQ(at(recipe, {"model", "seq_length"}), "128");
  EXPECT_EQ(at(recipe, {"dataset", "seq_length"}), "128");
  EXPECT_EQ(at(recipe, {"model", "pipeline_model_parallel_layout"}), "Et*1|t*2|t*2|t*1L");
  EXPECT_EQ(at(recipe, {"model", "recompute_granularity"}), "selective");
  EXPECT_EQ(at(recipe, {"train", "global_batch_size"}), "16");
  EXPECT_EQ(at(recipe, {"ddp", "use_distributed_optimizer"}), "true");
  EXPECT_EQ(at(recipe, {"mixed_precision"}), "bf16_mixed");
}

TEST(MegatronBridgeWriter, what_recipes_set_is_said_where_it_does_not_hold) {
  const config::Value recipe = recipe_of("overlap: {data: false}\n");
  EXPECT_EQ(at(recipe, {"ddp", "overlap_grad_reduce"}), "false");
  EXPECT_EQ(at(recipe, {"ddp", "overlap_param_gather"}), "false");
  EXPECT_EQ(at(recipe, {"model", "sequence_parallel"}), "false");
  for (const char* key : {"num_moe_experts", "recompute_granularity", "window_size"})
    EXPECT_TRUE(recipe.find("model")->find(key)->is_null()) << key;
  EXPECT_TRUE(recipe.find("comm_overlap")->is_null());
}

TEST(MegatronBridgeWriter, a_precision_without_a_name_is_a_configuration) {
  const std::string recipe = megatron_bridge::write_recipe(
      experiment_of(on_blackwell() + "precision: {fp8: mxfp8}\nweights: fp8\n"), {});
  EXPECT_EQ(at(config::parse(recipe, "r.yaml"), {"mixed_precision"}), "bf16_with_mxfp8_mixed");
  const config::Value tensorwise = recipe_of("precision: {fp8: tensorwise}\n");
  EXPECT_EQ(at(tensorwise, {"mixed_precision", "fp8_recipe"}), "tensorwise");
  EXPECT_EQ(at(tensorwise, {"mixed_precision", "params_dtype", "_target_"}), "torch.bfloat16");
  const config::Value full = recipe_of("precision: fp32\n");
  EXPECT_EQ(at(full, {"mixed_precision", "fp32"}), "true");
  EXPECT_EQ(at(full, {"mixed_precision", "params_dtype", "_target_"}), "torch.float32");
  EXPECT_EQ(at(recipe_of("gradients: bf16\n"), {"mixed_precision", "grad_reduce_in_fp32"}),
            "false");
}

// bf16_with_fp8_subchannel_scaling_mixed is hybrid, and so is none of another format.
TEST(MegatronBridgeWriter, a_name_is_of_a_format_of_fp8) {
  const config::Value blocks = recipe_of("precision: {fp8: blockwise}\n");
  EXPECT_EQ(at(blocks, {"mixed_precision", "fp8"}), "e4m3");
}

TEST(MegatronBridgeWriter, what_goes_along_stands_beside) {
  const config::Value along = config::parse(
      "{train: {train_samples: 320}, scheduler: {lr_warmup_samples: 6}, optimizer: {lr: 0.1},\n"
      " model: {num_layers: 99, moe_router_dtype: fp32}}",
      "a.yaml");
  const config::Value recipe =
      config::parse(megatron_bridge::write_recipe(
                        experiment_of(small_experiment + "training: {tokens: 20480}\n"), along),
                    "r.yaml");
  EXPECT_EQ(at(recipe, {"train", "train_samples"}), "160");        // 10 steps of 16
  EXPECT_EQ(at(recipe, {"scheduler", "lr_warmup_samples"}), "3");  // as 320 became 160
  EXPECT_EQ(at(recipe, {"optimizer", "lr"}), "0.1");
  EXPECT_EQ(at(recipe, {"model", "num_layers"}), "6");
  EXPECT_EQ(at(recipe, {"model", "moe_router_dtype"}), "fp32");
}

TEST(MegatronBridgeWriter, the_length_of_a_training_is_said_once) {
  const config::Value recipe = recipe_of("training: {tokens: 12800}\n");
  EXPECT_EQ(at(recipe, {"train", "train_samples"}), "100");
  EXPECT_TRUE(recipe.find("train")->find("train_iters")->is_null());
  const config::Value steps = recipe_of("training: {tokens: 20480}\n");
  EXPECT_EQ(at(steps, {"train", "train_iters"}), "10");
  EXPECT_TRUE(steps.find("train")->find("train_samples")->is_null());
  EXPECT_EQ(steps.find("scheduler"), nullptr);
}

// training/config.py, _validate_training_scheduler_compatibility.
TEST(MegatronBridgeWriter, samples_have_no_learning_rates_that_are_counted_in_steps) {
  const config::Value recipe = recipe_of("training: {tokens: 12800}\n");
  EXPECT_EQ(at(recipe, {"scheduler", "lr_warmup_iters"}), "0");
  EXPECT_TRUE(recipe.find("scheduler")->find("lr_decay_iters")->is_null());
}

TEST(MegatronBridgeWriter, checkpoints_are_those_that_the_sharding_takes) {
  EXPECT_EQ(at(recipe_of(""), {"checkpoint", "ckpt_format"}), "torch_dist");
  std::string sharded = small_experiment;
  const std::string degrees = "{tensor: 2, pipeline: 4, data: 2, zero: 1}";
  sharded.replace(sharded.find(degrees), degrees.size(), "{data: 8, zero: 3}");
  const config::Value recipe =
      config::parse(megatron_bridge::write_recipe(experiment_of(sharded)), "r.yaml");
  EXPECT_EQ(at(recipe, {"checkpoint", "ckpt_format"}), "fsdp_dtensor");
}

// The class takes GELU where nobody says another one.
TEST(MegatronBridgeWriter, the_activation_is_said) {
  EXPECT_EQ(at(recipe_of(""), {"model", "activation_func"}), "silu");
}

}  // namespace
}  // namespace pipewright::test
