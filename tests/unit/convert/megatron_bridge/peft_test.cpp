// peft/lora.py and module_matcher.py of Megatron Bridge.
#include "convert/megatron_bridge/peft.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

/// What a recipe's section 'peft' becomes beside a model that is given in YAML.
job::Import peft_import(const std::string& peft, const std::string& transformer = "{layers: 1}") {
  job::Import import;
  const job::Source source{.text = peft, .file = "r.yaml"};
  job::Settings settings(config::parse(peft, "r.yaml"), source, import);
  import.experiment.set("model", {}).set("transformer", config::parse(transformer, "model"));
  config::Value adapters = megatron_bridge::read_adapters(settings);
  megatron_bridge::set_adapters(std::move(adapters), import);
  return import;
}

constexpr const char* all_targets =
    "target_modules: [linear_qkv, linear_proj, linear_fc1, linear_fc2]";

TEST(MegatronBridgePeft, adapters_have_the_rank_that_is_said_or_32) {
  const job::Import import =
      peft_import(std::string("peft: {_target_: a.LoRA, dim: 16, ") + all_targets + "}");
  EXPECT_EQ(at(import.experiment, {"adapters"}), "16");
  EXPECT_TRUE(import.slight.empty());
  EXPECT_EQ(at(peft_import("peft: {alpha: 32}").experiment, {"adapters"}), "32");
  EXPECT_FALSE(peft_import("peft: null").experiment.find("adapters"));
}

TEST(MegatronBridgePeft, experts_have_one_for_a_device_or_one_each) {
  const std::string model = "{layers: 1, experts: {count: 8}}";
  const auto experts = [&](const std::string& peft) {
    return at(peft_import("peft: {dim: 8" + peft + "}", model).experiment, {"adapters", "experts"});
  };
  EXPECT_EQ(experts(""), "shared");
  EXPECT_EQ(experts(", share_expert_adapters: false"), "each");
  const job::Import attention =
      peft_import("peft: {dim: 8, target_modules: [linear_qkv, linear_proj]}", model);
  EXPECT_EQ(at(attention.experiment, {"adapters"}), "8");
}

TEST(MegatronBridgePeft, some_products_alone_are_noted) {
  const job::Import import = peft_import("peft: {target_modules: [linear_qkv]}");
  ASSERT_EQ(import.slight.size(), 1U);
  EXPECT_EQ(import.slight[0],
            "peft.target_modules: [linear_qkv]: adapters are taken to stand beside every product "
            "of attention and of MLPs, which takes more time and memory");
}

TEST(MegatronBridgePeft, what_cannot_be_said_is_refused) {
  const auto error = [](const std::string& peft) {
    return error_of([&] { peft_import("peft: {" + peft + "}"); });
  };
  EXPECT_NE(error("_target_: a.DoRA").find("DoRA cannot be said: only LoRA is read"),
            std::string::npos);
  EXPECT_NE(error("target_modules: ['*.layers.0.*.linear_qkv']").find("cannot be said"),
            std::string::npos);
  EXPECT_NE(error("target_modules: []").find("the head has an adapter too"), std::string::npos);
  EXPECT_NE(error("normalize_moe_lora: true").find("of one rank"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
