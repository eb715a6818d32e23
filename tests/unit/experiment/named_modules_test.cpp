#include "experiment/named_modules.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

std::string error_with(const std::string& model, const std::string& modules) {
  return error_of([&] {
    const config::Catalogue catalogue;
    const config::Value document = experiment("model: " + model +
                                              "\ncluster: {node: dgx-h100, nodes: 1}\n"
                                              "schedule: 1f1b\nrecompute: {modules: [" +
                                              modules + "]}\n");
    read_experiment(resolve(document, catalogue));
  });
}

TEST(NamedModules, are_those_that_the_model_has) {
  EXPECT_EQ(error_with("gpt2-small", "core_attn, layernorm, mlp"), "no error");
  EXPECT_EQ(error_with("deepseek-v3", "moe, moe_act, shared_experts, mla_up_proj, mlp"),
            "no error");
}

TEST(NamedModules, of_the_host_are_the_models_too) {
  const auto error = [](const std::string& model, const std::string& modules) {
    return error_of([&] {
      const config::Value document =
          experiment("model: " + model + "\ncluster: {node: dgx-h100, nodes: 1}\n" +
                     "schedule: 1f1b\noffload: {modules: [" + modules + "]}\n");
      read_experiment(resolve(document, config::Catalogue{}));
    });
  };
  EXPECT_EQ(error("mixtral-8x7b", "attn_norm, core_attn, attn_proj, expert_fc1, moe_act"),
            "no error");
  EXPECT_NE(error("gpt2-small", "expert_fc1").find("the model has no expert_fc1"),
            std::string::npos);
  EXPECT_NE(error("gpt2-small", "attn_proj").find("attn_proj needs core_attn beside it"),
            std::string::npos);
}

TEST(NamedModules, that_the_model_lacks_are_named) {
  for (const std::string module : {"moe", "moe_act", "shared_experts", "mla_up_proj"})
    EXPECT_NE(error_with("gpt2-small", module).find("the model has no " + module),
              std::string::npos);
  EXPECT_NE(error_with("mixtral-8x7b", "mlp").find("the model has no mlp"), std::string::npos);
  EXPECT_NE(error_with("resnet-50", "core_attn").find("the model has no core_attn"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
