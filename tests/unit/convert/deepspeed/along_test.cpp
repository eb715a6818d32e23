#include "convert/deepspeed/along.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "convert/deepspeed/job_file.hpp"

namespace pipewright::test {
namespace {

constexpr const char* configuration =
    "cat > ds.json <<END\n{\"train_batch_size\": 8, \"train_micro_batch_size_per_gpu\": 1, "
    "\"gradient_clipping\": "
    "1.0, \"scheduler\": {\"type\": \"WarmupLR\", \"params\": {\"warmup_num_steps\": 100}}, "
    "\"_remark\": \"mine\", \"bf16\": {\"enabled\": true}}\nEND\n";

config::Value carried_by(const std::string& launch) {
  const std::string script = configuration + launch + "\n";
  const job::Import import = deepspeed::import_job(
      {.text = script, .file = "run.sh", .given = {}, .read = {}, .model = "llama-2-7b"});
  return *import.carried.find("deepspeed");
}

TEST(DeepspeedAlong, has_the_keys_that_decide_nothing) {
  const config::Value carried =
      carried_by("deepspeed --num_gpus 8 a.py --deepspeed ds.json --max_seq_length 512");
  EXPECT_EQ(at(carried, {"gradient_clipping"}), "1.0");
  EXPECT_EQ(at(carried, {"scheduler", "params", "warmup_num_steps"}), "100");
  EXPECT_FALSE(carried.find("train_batch_size"));
  EXPECT_EQ(at(carried, {"step", "tokens"}), "4096");
}

// Programs of transformers take other arguments than Megatron-DeepSpeed, which is what is written.
TEST(DeepspeedAlong, names_what_does_not_go_along) {
  const config::Value carried = carried_by(
      "deepspeed --num_gpus 8 a.py --deepspeed ds.json --max_seq_length 512 --learning_rate 1e-5");
  std::string left;
  for (const config::Value& one : carried.find("left")->items) left += one.text + ';';
  EXPECT_NE(left.find("--learning_rate 1e-5"), std::string::npos);
  EXPECT_NE(left.find("_remark: mine"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
