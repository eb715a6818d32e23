#include "convert/deepspeed/training.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "job_of.hpp"

namespace pipewright::test {
namespace {

/// The experiment of eight devices whose configuration has `keys` beside its batch.
config::Value with_keys(const std::string& keys, const std::string& arguments = {}) {
  const std::string launch =
      arguments.empty() ? "" : "deepspeed --num_gpus 8 a.py --deepspeed ds.json " + arguments;
  return import_deepspeed(R"({"train_micro_batch_size_per_gpu": 1, )" + keys + "}", launch,
                          {{"NGPU", "8"}})
      .experiment;
}

std::string error_with(const std::string& keys) {
  return error_of([&] { with_keys(keys); });
}

TEST(DeepSpeedTraining, gradients_have_the_precision_of_the_model) {
  const std::string zero = R"("bf16": {"enabled": true}, "zero_optimization": {"stage": 1})";
  EXPECT_EQ(at(with_keys(zero), {"gradients"}), "bf16");
  EXPECT_EQ(at(with_keys(R"("fp16": {"enabled": true})"), {"precision"}), "fp16");
  EXPECT_EQ(at(with_keys(R"("optimizer": {"type": "SGD"})"), {"precision"}), "fp32");
  const std::string wide =
      R"("bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "fp32"})";
  EXPECT_EQ(at(with_keys(wide), {"gradients"}), "fp32");
  EXPECT_NE(error_with(wide + R"(, "communication_data_type": "bf16")").find("cannot be said"),
            std::string::npos);
  EXPECT_NE(error_with(R"("bf16": {"enabled": true}, "fp16": {"enabled": true})")
                .find("exclude each other"),
            std::string::npos);
}

// get_data_types() of engine.py and BF16_Optimizer, which partitions its state.
TEST(DeepSpeedTraining, bf16_without_zero_shards_the_optimizer_and_accumulates_in_fp32) {
  const config::Value plain = with_keys(R"("bf16": {"enabled": true})");
  EXPECT_EQ(at(plain, {"gradients"}), "fp32");
  EXPECT_EQ(at(plain, {"parallel", "zero"}), "1");
  const config::Value narrow =
      with_keys(R"("bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "bf16"})");
  EXPECT_EQ(at(narrow, {"parallel", "zero"}), "0");
  const config::Value staged = with_keys(
      R"("bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "bf16"},
         "pipeline": {"stages": 2})");
  EXPECT_EQ(at(staged, {"parallel", "zero"}), "1");
  EXPECT_EQ(at(with_keys(R"("fp16": {"enabled": true})"), {"parallel", "zero"}), "0");
}

TEST(DeepSpeedTraining, optimizers_have_our_names) {
  const auto optimizer = [](const std::string& text) {
    return at(with_keys(R"("optimizer": )" + text), {"optimizer"});
  };
  EXPECT_EQ(optimizer(R"({"type": "Adam"})"), "adam");
  EXPECT_EQ(optimizer(R"({"type": "SGD", "params": {"momentum": 0.9}})"), "momentum");
  EXPECT_EQ(optimizer(R"({"type": "SGD"})"), "sgd");
  EXPECT_NE(error_with(R"("optimizer": {"type": "OneBitAdam"})").find("OneBitAdam cannot be said"),
            std::string::npos);
}

// 5e8 numbers of two bytes are DeepSpeed's bucket; "auto" is the square of the width of 256.
TEST(DeepSpeedTraining, zero_cuts_and_reduces_as_its_stage_says) {
  const config::Value two = with_keys(R"("bf16": {"enabled": true},
      "zero_optimization": {"stage": 2})");
  EXPECT_EQ(at(two, {"parallel", "zero"}), "2");
  EXPECT_EQ(at(two, {"overlap", "data"}), "false");
  EXPECT_EQ(at(two, {"data", "bucket"}), "1000000000 B");
  const config::Value three = with_keys(R"("bf16": {"enabled": true},
      "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto", "mics_shard_size": 4})");
  EXPECT_EQ(at(three, {"overlap", "data"}), "true");
  EXPECT_EQ(at(three, {"data", "bucket"}), "131072 B");
  EXPECT_EQ(at(three, {"parallel", "shard"}), "4");
  EXPECT_FALSE(with_keys(R"("bf16": {"enabled": true})").find("data"));
  EXPECT_NE(error_with(R"("zero_optimization": {"stage": 2}, "pipeline": {"stages": 2})")
                .find("go with ZeRO 0 and 1 only"),
            std::string::npos);
}

// ZeRO++ (arXiv 2306.10209) is of stage 3.
TEST(DeepSpeedTraining, zero_plus_has_keys_of_its_own) {
  const auto parallel = [](const std::string& stage) {
    return *with_keys(R"("bf16": {"enabled": true}, "zero_optimization": {"stage": )" + stage +
                      R"(, "zero_quantized_weights": true, "zero_quantized_gradients": true,
                             "zero_hpz_partition_size": 4})")
                .find("parallel");
  };
  EXPECT_EQ(at(parallel("3"), {"gathered"}), "int8");
  EXPECT_EQ(at(parallel("3"), {"scattered"}), "int4");
  EXPECT_EQ(at(parallel("3"), {"secondary"}), "4");
  EXPECT_EQ(parallel("2").find("gathered"), nullptr);
  EXPECT_NE(error_with(R"("zero_optimization": {"stage": 3, "zero_hpz_partition_size": 3})")
                .find("must divide the 8 replicas"),
            std::string::npos);
}

TEST(DeepSpeedTraining, hosts_keep_what_is_offloaded) {
  const auto offload = [](const std::string& zero) {
    return with_keys(R"("zero_optimization": {"stage": 3, )" + zero + "}");
  };
  EXPECT_EQ(at(offload(R"("offload_optimizer": {"device": "cpu"})"), {"offload"}), "optimizer");
  EXPECT_EQ(at(offload(R"("offload_param": {"device": "none"})"), {"offload"}), "none");
  EXPECT_EQ(error_of([&] { offload(R"("offload_param": {"device": "cpu"})"); }),
            "ds.json:1:90: error: zero_optimization.offload_param: cannot be said: ZeRO 3 cuts the "
            "weights, and only whole ones are offloaded here; --partial goes on without it, and "
            "says so in the experiment");
  EXPECT_NE(error_of([&] {
              offload(R"("offload_optimizer": {"device": "nvme"})");
            }).find("nvme cannot be said"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              offload(R"("offload_optimizer": {"device": "cpu", "ratio": 0.4})");
            }).find("0.4 cannot be said: it is all or nothing"),
            std::string::npos);
}

// engine.py hands it to the optimizer of stage 3 alone.
TEST(DeepSpeedTraining, weights_are_not_offloaded_below_zero_3) {
  const job::Import import = import_deepspeed(
      R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2,
          "offload_param": {"device": "cpu"}}})",
      {}, {{"NGPU", "8"}}, false);
  EXPECT_FALSE(import.experiment.find("offload"));
}

TEST(DeepSpeedTraining, the_program_or_the_pipeline_asks_for_recomputation) {
  EXPECT_EQ(at(with_keys(R"("fp16": {})"), {"recompute"}), "none");
  EXPECT_FALSE(with_keys(R"("fp16": {})").find("recompute"));
  EXPECT_EQ(at(with_keys(R"("fp16": {})", "--gradient_checkpointing"), {"recompute"}), "full");
  EXPECT_EQ(at(with_keys(R"("pipeline": {"activation_checkpoint_interval": 1})"), {"recompute"}),
            "full");
}

TEST(DeepSpeedTraining, weights_that_zero_cuts_are_left_where_they_are_in_part) {
  const job::Import import = import_deepspeed(
      R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3,
          "offload_param": {"device": "cpu"}, "offload_optimizer": {"device": "cpu"}}})",
      {}, {{"NGPU", "8"}}, true);
  EXPECT_EQ(at(import.experiment, {"offload"}), "optimizer");
  ASSERT_EQ(import.refused.size(), 1U);
  EXPECT_NE(import.refused[0].find("offload_param"), std::string::npos);
}

// deepspeed.checkpointing is called by models, not by the engine.
TEST(DeepSpeedTraining, a_section_of_recomputation_asks_for_none) {
  const std::string section = R"("activation_checkpointing": {"cpu_checkpointing": true})";
  const job::Import alone =
      import_deepspeed(R"({"train_micro_batch_size_per_gpu": 1, )" + section + "}");
  EXPECT_FALSE(alone.experiment.find("recompute"));
  EXPECT_FALSE(alone.experiment.find("offload"));
  EXPECT_TRUE(std::any_of(alone.assumed.begin(), alone.assumed.end(), [](const auto& line) {
    return line.starts_with("activation_checkpointing is of models that call it");
  }));
  const config::Value kept = with_keys(section, "--gradient_checkpointing");
  EXPECT_EQ(at(kept, {"offload"}), "activations");
  EXPECT_EQ(at(kept, {"recompute"}), "full");
}

// The catalogue's Llama 2 7B is 4096 wide: 4096^2 numbers of two bytes.
TEST(DeepSpeedTraining, a_bucket_of_auto_knows_models_of_the_catalogue) {
  const std::string text = R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true},
      "zero_optimization": {"stage": 2, "reduce_bucket_size": "auto"}})";
  const config::Value e = deepspeed::import_job({.text = text,
                                                 .file = "ds.json",
                                                 .given = {{"NGPU", "8"}},
                                                 .partial = false,
                                                 .read = {},
                                                 .further = {},
                                                 .model = "llama-2-7b"})
                              .experiment;
  EXPECT_EQ(at(e, {"data", "bucket"}), "33554432 B");
}

TEST(DeepSpeedTraining, recomputation_has_several_names) {
  for (const char* name : {"--gradient_checkpointing", "--grad_checkpoint True"})
    EXPECT_EQ(at(with_keys(R"("bf16": {"enabled": true})", name), {"recompute"}), "full") << name;
}

// InternVL's and ms-swift's programs.
TEST(DeepSpeedTraining, weights_that_are_not_trained_are_refused) {
  for (const char* name : {"--use_llm_lora 16", "--freeze_llm True", "--tuner_type lora"})
    EXPECT_NE(error_of([&] {
                with_keys(R"("bf16": {"enabled": true})", name);
              }).find("weights that are not trained"),
              std::string::npos)
        << name;
  EXPECT_EQ(at(with_keys(R"("bf16": {"enabled": true})", "--freeze_llm False"), {"precision"}),
            "bf16");
}

}  // namespace
}  // namespace pipewright::test
