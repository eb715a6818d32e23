#include "convert/accelerate/launch_script.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::HandedOver launched(const std::string& script) {
  return accelerate::launched({.text = script,
                               .file = "run.sh",
                               .given = {},
                               .read = [](const std::string& path) -> std::optional<std::string> {
                                 if (path == "zero3.yaml")
                                   return "distributed_type: DEEPSPEED\nnum_processes: 8\n";
                                 if (path == "sft.yaml")
                                   return "per_device_train_batch_size: 2\nmax_steps: 10\n";
                                 if (path == "lora.yaml")
                                   return "finetuning_type: lora\nbf16: true\n";
                                 if (path == "full.yaml")
                                   return "finetuning_type: full\nfp16: true\nmax_steps: 7\n";
                                 return std::nullopt;
                               }});
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

// launch.py: what is said on the command line stands over the file.
TEST(LaunchScript, options_stand_over_the_file) {
  const job::HandedOver read = launched(
      "N=16\naccelerate launch --config_file zero3.yaml --num_processes $N --zero_stage=2 \\\n"
      "  train.py --per_device_train_batch_size 4\n");
  EXPECT_EQ(read.file, "zero3.yaml");
  EXPECT_TRUE(has(read.words, "num_processes=16"));
  EXPECT_TRUE(has(read.words, "deepspeed_config.zero_stage=2"));
  EXPECT_EQ(read.given.at("per_device_train_batch_size"), "4");
}

TEST(LaunchScript, without_a_file_its_options_say_all) {
  const job::HandedOver read = launched(
      "accelerate launch --use_fsdp --num_processes 4 --fsdp_sharding_strategy FULL_SHARD -m "
      "a.b\n");
  EXPECT_EQ(read.text, "distributed_type: FSDP\n");
  EXPECT_TRUE(has(read.words, "fsdp_config.fsdp_sharding_strategy=FULL_SHARD"));
}

TEST(LaunchScript, the_script_may_write_the_file_itself) {
  const job::HandedOver read = launched(
      "N=8\ncat > own.yaml <<END\ndistributed_type: FSDP\nnum_processes: $N\nEND\n"
      "accelerate launch --config_file own.yaml train.py\n");
  EXPECT_EQ(read.text, "distributed_type: FSDP\nnum_processes: 8\n");
}

// TrainingArguments.__post_init__ sets ACCELERATE_MIXED_PRECISION.
TEST(LaunchScript, the_programs_format_stands_over_the_configuration) {
  const std::string start = "accelerate launch --config_file zero3.yaml train.py ";
  EXPECT_TRUE(has(launched(start + "--bf16 True\n").words, "mixed_precision=bf16"));
  EXPECT_TRUE(has(launched(start + "--fp16\n").words, "mixed_precision=fp16"));
  EXPECT_FALSE(has(launched(start + "--bf16 False\n").words, "mixed_precision=bf16"));
}

TEST(LaunchScript, a_negative_number_is_a_value) {
  const job::HandedOver read = launched(
      "accelerate launch --config_file zero3.yaml train.py --max_steps -1 --optim adafactor\n");
  EXPECT_EQ(read.given.at("max_steps"), "-1");
  EXPECT_EQ(read.given.at("optim"), "adafactor");
}

// transformers' HfArgumentParser reads a file that is the first word.
TEST(LaunchScript, the_file_of_a_program_may_be_its_first_word) {
  const std::string start = "accelerate launch --config_file zero3.yaml src/train.py ";
  const job::HandedOver full = launched(start + "full.yaml\n");
  EXPECT_EQ(full.given.at("max_steps"), "7");
  EXPECT_TRUE(has(full.words, "mixed_precision=fp16"));
  EXPECT_NE(error_of([&] { launched(start + "lora.yaml\n"); }).find("finetuning_type"),
            std::string::npos);
}

// TRL's programs take their arguments from a file, over which the command line stands.
TEST(LaunchScript, a_programs_own_file_is_read) {
  const job::HandedOver read = launched(
      "accelerate launch --config_file=zero3.yaml sft.py --config sft.yaml "
      "--per_device_train_batch_size=8 --gradient_checkpointing\n");
  EXPECT_EQ(read.given.at("per_device_train_batch_size"), "8");
  EXPECT_EQ(read.given.at("max_steps"), "10");
  EXPECT_EQ(read.given.at("gradient_checkpointing"), "true");
}

TEST(LaunchScript, what_is_missing_is_named) {
  EXPECT_NE(error_of([] {
              launched("accelerate launch --config_file a.yaml b.py\n");
            }).find("'a.yaml', the configuration of accelerate"),
            std::string::npos);
  EXPECT_NE(error_of([] { launched("torchrun a.py\n"); }).find("accelerate launch"),
            std::string::npos);
}

TEST(LaunchScript, weights_that_are_not_trained_are_refused) {
  EXPECT_NE(error_of([] {
              launched("accelerate launch --config_file zero3.yaml train.py --tuner_type lora\n");
            }).find("--tuner_type lora cannot be said"),
            std::string::npos);
}

// swift/arguments/sft_args.py: a device has one sequence where nobody says it.
TEST(LaunchScript, programs_have_their_own_defaults_and_names) {
  const job::HandedOver read = launched(
      "accelerate launch --config_file zero3.yaml swift/cli/sft.py --tuner_type full "
      "--max_length 2048\n");
  EXPECT_EQ(read.given.at("per_device_train_batch_size"), "1");
  EXPECT_EQ(read.given.at("max_seq_length"), "2048");
}

}  // namespace
}  // namespace pipewright::test
