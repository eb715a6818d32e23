#include "convert/deepspeed/megatron_job.hpp"
#include "convert/job/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "job_of.hpp"

namespace pipewright::test {
namespace {

const std::string launch =
    "deepspeed --num_nodes 2 --num_gpus 8 pretrain_gpt.py --num-layers 8 --hidden-size 512 "
    "--num-attention-heads 8 --seq-length 1024 --micro-batch-size 1 --global-batch-size 64 --fp16 "
    "--tensor-model-parallel-size 2 --deepspeed --deepspeed_config ds.json --zero-stage=2 "
    "--no-pipeline-parallel --checkpoint-activations ";

const std::string deepspeed_config =
    R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 1,
                               "fp16": {"enabled": true},
                               "zero_optimization": {"stage": 2, "overlap_comm": true}})";

// 16 devices / 2. GPT-2's tokens are padded to 128 x 2.
TEST(MegatronDeepSpeed, arguments_say_the_model_and_the_configuration_zero) {
  const config::Value e = import_deepspeed(deepspeed_config, launch).experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "vocabulary"}), "50432");
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "2");
  EXPECT_EQ(at(e, {"parallel", "data"}), "8");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "2");
  EXPECT_EQ(at(e, {"overlap", "data"}), "true");
  EXPECT_EQ(at(e, {"gradients"}), "fp16");
  EXPECT_EQ(at(e, {"recompute"}), "full");
  EXPECT_EQ(at(e, {"framework"}), "deepspeed");
  EXPECT_EQ(at(e, {"cluster", "nodes"}), "2");
}

TEST(MegatronDeepSpeed, arguments_of_its_own_have_counterparts) {
  const config::Value e =
      import_deepspeed(deepspeed_config, launch +
                                             "--ds-sequence-parallel-size 2 --cpu-optimizer "
                                             "--num-key-value-heads=4 --normalization rmsnorm")
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "context", "degree"}), "2");
  EXPECT_EQ(at(e, {"parallel", "context", "exchange"}), "ulysses");
  EXPECT_EQ(at(e, {"parallel", "data"}), "4");
  EXPECT_EQ(at(e, {"offload"}), "optimizer");
  EXPECT_EQ(at(e, {"model", "transformer", "kv_heads"}), "4");
  EXPECT_EQ(at(e, {"model", "transformer", "norm"}), "rmsnorm");
}

// --optimizer of megatron/arguments.py is adam.
TEST(MegatronDeepSpeed, an_unsaid_optimizer_is_adam) {
  const job::Import import = import_deepspeed(deepspeed_config, launch);
  EXPECT_EQ(at(import.experiment, {"optimizer"}), "adam");
  EXPECT_TRUE(std::none_of(import.assumed.begin(), import.assumed.end(), [](const auto& line) {
    return line.find("AdamW") != std::string::npos;
  }));
}

// CoreAttention of megatron/model/transformer.py keeps the scores.
TEST(MegatronDeepSpeed, attention_is_unfused_unless_it_is_asked_for) {
  const job::Import import = import_deepspeed(deepspeed_config, launch);
  EXPECT_EQ(at(import.experiment, {"attention"}), "unfused");
  EXPECT_TRUE(std::any_of(import.assumed.begin(), import.assumed.end(), [](const auto& line) {
    return line.find("--use-flash-attn") != std::string::npos;
  }));
  for (const char* argument :
       {"--use-flash-attn", "--use-flash-attn-v2", "--use-flash-attn-triton"})
    EXPECT_EQ(at(import_deepspeed(deepspeed_config, launch + argument).experiment, {"attention"}),
              "flash");
}

TEST(MegatronDeepSpeed, sizes_that_contradict_each_other_are_named) {
  EXPECT_EQ(error_of([] { import_deepspeed(R"({"train_batch_size": 32})", launch); }),
            "ds.json:1:22: error: train_batch_size is 32 here, and the program's arguments say 64");
}

// It ends with the first of its limits; a sample has 1,024 tokens.
TEST(MegatronDeepSpeed, a_training_ends_by_its_tokens_too) {
  const auto tokens = [](const std::string& more) {
    return at(import_deepspeed(deepspeed_config, launch + more).experiment, {"training", "tokens"});
  };
  EXPECT_EQ(tokens("--train-samples 3000 --train-tokens 1024000"), "1024000");
  EXPECT_EQ(tokens("--train-samples 500 --train-tokens 1024000"), "512000");
  EXPECT_EQ(tokens("--train-tokens 1024000"), "1024000");
}

// Megatron-DeepSpeed trains without DeepSpeed too.
TEST(MegatronDeepSpeed, arguments_of_forks_are_known_by_their_names) {
  const auto prepared = [](const std::string& more) {
    const job::Source source{.text = {}, .file = "run.sh", .given = {}};
    job::Import notes;
    const auto launches = job::launches(shell::follow("pretrain_gpt.py " + more, "run.sh", {}));
    std::string words;
    for (const job::Word& word :
         deepspeed::with_megatrons_arguments(launches.at(0), source, notes).arguments)
      words += word.text + ' ';
    return words;
  };
  EXPECT_EQ(prepared("--num-layers 2 --bf16"), "--num-layers 2 --bf16 ");
  EXPECT_NE(prepared("--num-layers 2 --pad-vocab-size-to 250880").find("--padded-vocab-size"),
            std::string::npos);
}

// 8 layers in 3 stages.
TEST(MegatronDeepSpeed, stages_that_differ_are_said) {
  std::string staged = launch + "--pipeline-model-parallel-size 3 ";
  staged.erase(staged.find("--no-pipeline-parallel "), 23);
  staged.replace(staged.find("--num_nodes 2"), 13, "--num_nodes 3");
  staged.replace(staged.find("--zero-stage=2"), 14, "--zero-stage=1");
  std::string one = deepspeed_config;
  one.replace(one.find("\"stage\": 2"), 10, "\"stage\": 1");
  const config::Value e = import_deepspeed(one, staged).experiment;
  ASSERT_NE(e.find("partition"), nullptr);
  EXPECT_EQ(job::written(*e.find("partition")), "[3, 3, 2]");
}

}  // namespace
}  // namespace pipewright::test
