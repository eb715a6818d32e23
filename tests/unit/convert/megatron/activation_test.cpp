#include "convert/megatron/activation.hpp"

#include <gtest/gtest.h>

#include "flags_of.hpp"
#include "lines_of.hpp"

namespace pipewright::test {
namespace {

std::string_view activation_of(const std::string& gated, const std::string& constants) {
  const Experiment e = experiment_of(
      "model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1024, gated: " + gated +
      "}, constants: {" + constants +
      "}}\ncluster: {node: dgx-h100, nodes: 1}\nbatch: {global: 16, micro: 1, sequence: 128}\n"
      "schedule: 1f1b\n");
  return megatron::activation_of(e);
}

// Names of megatron/bridge/utils/activation_map.py; Megatron-Core's class takes GELU with a gate
// too.
TEST(MegatronActivation, is_that_of_the_model_or_the_usual_one) {
  EXPECT_EQ(activation_of("true", ""), "silu");
  EXPECT_EQ(activation_of("false", ""), "gelu");
  EXPECT_EQ(activation_of("false", "hidden_act: relu2"), "squared_relu");
  EXPECT_EQ(activation_of("true", "hidden_activation: gelu_pytorch_tanh"), "fast_gelu");
}

TEST(MegatronActivation, is_a_function_for_nemo) {
  const config::Value function = megatron::activation_function("squared_relu");
  EXPECT_EQ(at(function, {"_target_"}), "megatron.core.activations.squared_relu");
  EXPECT_EQ(at(function, {"_call_"}), "false");
}

TEST(MegatronActivation, is_read_by_its_name_or_its_function) {
  const auto read = [](const std::string& text) {
    const job::Source source;
    job::Import import;
    job::Settings settings(config::parse("{a: " + text + "}", "r.yaml"), source, import);
    const std::optional<config::Value> value = megatron::read_activation(settings, "a");
    return value ? value->text : import.slight.empty() ? "" : "noted";
  };
  EXPECT_EQ(read("squared_relu"), "relu2");
  EXPECT_EQ(read("relu2"), "relu2");
  EXPECT_EQ(read("{_target_: torch.nn.functional.silu, _call_: false}"), "silu");
  EXPECT_EQ(read("null"), "");
  EXPECT_EQ(read("my_own"), "noted");
}

TEST(MegatronActivation, the_usual_one_is_no_constant) {
  const auto constants = [](const std::string& gated, std::string_view activation) {
    job::Import import;
    import.experiment = config::parse("model: {transformer: {gated: " + gated + "}}\n", "e.yaml");
    megatron::set_activation(config::scalar(activation), import);
    return at(import.experiment, {"model", "constants", "hidden_act"});
  };
  EXPECT_EQ(constants("true", "silu"), "none");
  EXPECT_EQ(constants("false", "gelu"), "none");
  EXPECT_EQ(constants("true", "gelu"), "gelu");
  EXPECT_EQ(constants("false", "relu2"), "relu2");
}

}  // namespace
}  // namespace pipewright::test
