#include "convert/deepspeed/fork_experts.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

std::string experts(const std::string& arguments) {
  const job::Source source{.text = {}, .file = "run.sh", .given = {}};
  const std::vector<job::Launch> launches =
      job::launches(shell::follow("pretrain_gpt.py " + arguments, "run.sh", {}));
  job::Import import;
  std::string text;
  for (const job::Word& word :
       deepspeed::with_megatrons_experts(launches.at(0).arguments, source, import))
    text += (text.empty() ? "" : " ") + word.text;
  return text;
}

// megatron/arguments.py of Megatron-DeepSpeed: one expert a token, experts in every second layer,
// a capacity of 1.0, and experts whole on a device.
TEST(ForkExperts, unsaid_values_are_megatron_deepspeeds) {
  EXPECT_EQ(experts("--num-layers 5 --num-experts 64 --moe-expert-parallel-size 8"),
            "--num-layers 5 --num-experts=64 --moe-router-topk=1 "
            "--moe-layer-freq=([0]*1+[1]*1)*2+[0]*1 --expert-model-parallel-size=8 "
            "--expert-tensor-parallel-size=1 --moe-token-dispatcher-type=alltoall "
            "--moe-expert-capacity-factor=1.0");
}

TEST(ForkExperts, one_expert_is_a_plain_mlp) {
  EXPECT_EQ(experts("--num-layers 4 --num-experts 1 --moe-loss-coeff 0.01 --mlp-type standard"),
            "--num-layers 4");
}

TEST(ForkExperts, other_experts_are_refused) {
  EXPECT_NE(error_of([] {
              experts("--num-layers 4 --num-experts 32 64");
            }).find("run.sh:1:49: error: --num-experts cannot be said: layers have other numbers"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              experts("--num-layers 4 --num-experts 32 --mlp-type residual");
            }).find("--mlp-type residual cannot be said"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
