#include "convert/deepspeed/adapters.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "convert/deepspeed/job_file.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

config::Value adapters_of(const std::string& arguments) {
  const std::string script =
      "cat > ds.json <<END\n{\"train_micro_batch_size_per_gpu\": 1, "
      "\"gradient_accumulation_steps\": 1, \"bf16\": "
      "{\"enabled\": true}}\nEND\n"
      "deepspeed --num_gpus 8 train.py --deepspeed ds.json --max_seq_length 512 " +
      arguments + "\n";
  const job::Import import = deepspeed::import_job(
      {.text = script, .file = "run.sh", .given = {}, .read = {}, .model = "llama-2-7b"});
  const config::Value* adapters = import.experiment.find("adapters");
  return adapters ? *adapters : config::Value();
}

TEST(Adapters, stand_beside_all_products) {
  EXPECT_EQ(adapters_of("--finetuning_type lora --lora_rank 64 --lora_target all").text, "64");
  EXPECT_EQ(adapters_of("--use_peft --lora_r 32 --lora_target_modules all-linear").text, "32");
}

// trl's ModelConfig and LLaMA-Factory's LoraArguments.
TEST(Adapters, have_the_rank_of_their_program) {
  EXPECT_EQ(adapters_of("--finetuning_type lora --lora_target all").text, "8");
  EXPECT_EQ(adapters_of("--use_peft --lora_target_modules all-linear").text, "16");
}

TEST(Adapters, are_none_where_all_weights_are_trained) {
  EXPECT_TRUE(adapters_of("--finetuning_type full").is_null());
  EXPECT_TRUE(adapters_of("").is_null());
}

TEST(Adapters, of_some_products_are_refused) {
  EXPECT_NE(error_of([] { adapters_of("--use_peft --lora_r 8"); }).find("adapters of some"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              adapters_of("--finetuning_type lora --lora_target q_proj");
            }).find("adapters of some"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
