#include "convert/megatron/variables.hpp"

#include <gtest/gtest.h>

#include "convert/job/settings.hpp"
#include "lines_of.hpp"

namespace pipewright::test {
namespace {

job::Word word(const std::string& text) { return {text, {}, nullptr, {}}; }

TEST(MegatronVariables, those_of_libraries_go_along) {
  EXPECT_EQ(job::written(megatron::variables_along({{"NCCL_DEBUG", word("INFO")},
                                                    {"MASTER_ADDR", word("node1")},
                                                    {"CUDA_VISIBLE_DEVICES", word("0")},
                                                    {"WANDB_API_KEY", word("x")},
                                                    {"TP", word("8")}})),
            "{NCCL_DEBUG: INFO}");
  EXPECT_TRUE(megatron::variables_along({{"TP", word("8")}}).is_null());
}

// Ranks that share layers have one queue of launches, and FSDP has several.
TEST(MegatronVariables, queues_are_what_the_framework_asserts) {
  const config::Value along =
      config::parse("{environment: {CUDA_DEVICE_MAX_CONNECTIONS: 32, NCCL_DEBUG: INFO}}", "a.yaml");
  const auto lines = [&](const std::string& from, const std::string& to) {
    std::string yaml = small_experiment;
    yaml.replace(yaml.find(from), from.size(), to);
    return megatron::variable_lines(megatron::variables_of(experiment_of(yaml), along));
  };
  EXPECT_EQ(lines("zero: 1", "zero: 1"),
            "export CUDA_DEVICE_MAX_CONNECTIONS=1\nexport NCCL_DEBUG=INFO\n");
  EXPECT_EQ(
      lines("tensor: 2, pipeline: 4, data: 2, zero: 1", "tensor: 2, pipeline: 1, data: 8, zero: 3"),
      "export CUDA_DEVICE_MAX_CONNECTIONS=32\nexport NCCL_DEBUG=INFO\n");
  EXPECT_EQ(lines("dgx-h100", "dgx-b200"),
            "export CUDA_DEVICE_MAX_CONNECTIONS=32\nexport NCCL_DEBUG=INFO\n");
}

TEST(MegatronVariables, one_queue_is_not_for_fsdp) {
  std::string yaml = small_experiment;
  const std::string from = "tensor: 2, pipeline: 4, data: 2, zero: 1";
  yaml.replace(yaml.find(from), from.size(), "tensor: 2, pipeline: 1, data: 8, zero: 3");
  const config::Value along =
      config::parse("{environment: {CUDA_DEVICE_MAX_CONNECTIONS: 1}}", "a.yaml");
  EXPECT_EQ(megatron::variable_lines(megatron::variables_of(experiment_of(yaml), along)),
            "unset CUDA_DEVICE_MAX_CONNECTIONS\n");
}

TEST(MegatronVariables, names_that_bash_cannot_have_do_not_go_out) {
  const config::Value along =
      config::parse("{environment: {'NCCL_X; reboot;': 1, NCCL_DEBUG: INFO}}", "a.yaml");
  const std::string lines =
      megatron::variable_lines(megatron::variables_of(experiment_of(small_experiment), along));
  EXPECT_EQ(lines.find("reboot"), std::string::npos);
  EXPECT_NE(lines.find("export NCCL_DEBUG=INFO"), std::string::npos);
}

TEST(MegatronVariables, values_with_blanks_are_quoted) {
  EXPECT_EQ(megatron::variable_lines(config::parse("{A: 'b c'}", "a.yaml")), "export A=\"b c\"\n");
}

// Megatron-Core asserts what it sets by --attention-backend.
TEST(MegatronVariables, kernels_of_attention_are_an_argument) {
  const auto backend = [](const std::map<std::string, std::string>& said) {
    std::map<std::string, job::Word> variables;
    for (const auto& [name, value] : said) variables[name].text = value;
    EXPECT_TRUE(megatron::variables_along(variables).is_null());
    return megatron::attention_backend_of(variables);
  };
  EXPECT_EQ(backend({{"NVTE_FUSED_ATTN", "0"}}), "flash");
  EXPECT_EQ(backend({{"NVTE_FLASH_ATTN", "0"}, {"NVTE_FUSED_ATTN", "1"}}), "fused");
  EXPECT_EQ(backend({{"NVTE_FLASH_ATTN", "0"}, {"NVTE_FUSED_ATTN", "0"}}), "unfused");
  EXPECT_EQ(backend({{"NVTE_FLASH_ATTN", "1"}}), "");
}

}  // namespace
}  // namespace pipewright::test
