#include "convert/torchtitan/function_document.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

config::Value job_file_with(const std::string& more) {
  const job::Source source{.text = {}, .file = "f.py", .given = {}, .partial = false, .read = {}};
  job::Import import;
  const std::string text =
      "_target_: torchtitan.trainer.Trainer.Config\nmodel_spec: {_target_: "
      "torchtitan.models.qwen3.model_registry, _args_: [30B-A3B], moe_comm_backend: deepep}\n" +
      more;
  return torchtitan::job_file_of(config::parse(text, "f.py"), source, import);
}

TEST(TorchtitanFunctionDocument, a_registry_names_the_model) {
  const config::Value file = job_file_with("");
  EXPECT_EQ(at(file, {"model", "name"}), "qwen3");
  EXPECT_EQ(at(file, {"model", "flavor"}), "30B-A3B");
  EXPECT_EQ(at(file, {"parallelism", "expert_parallel_comm_backend"}), "deepep");
}

TEST(TorchtitanFunctionDocument, sections_have_their_names_of_before) {
  const config::Value file = job_file_with(
      "profiler: {profile_freq: 10}\nhf_assets_path: a\ndebug: {print_config: true, seed: 1}\n"
      "compile: {enable: true, enable_async_tensor_parallel: true}\nactivation_checkpoint: "
      "{_target_: "
      "FullAC.Config}\n");
  EXPECT_EQ(at(file, {"profiling", "profile_freq"}), "10");
  EXPECT_EQ(at(file, {"model", "hf_assets_path"}), "a");
  EXPECT_EQ(at(file, {"job", "print_config"}), "true");
  EXPECT_EQ(at(file, {"parallelism", "enable_async_tensor_parallel"}), "true");
  EXPECT_EQ(at(file, {"activation_checkpoint", "mode"}), "full");
  EXPECT_NE(error_of([&] {
              job_file_with("activation_checkpoint: [1]\n");
            }).find("must say what is run again"),
            std::string::npos);
}

TEST(TorchtitanFunctionDocument, groups_of_parameters_have_one_optimizer) {
  const auto with = [](const char* other) {
    return job_file_with(
        std::string(
            "optimizer: {_target_: OptimizersContainer.Config, param_groups: [{optimizer_name: ") +
        other + "}, {optimizer_name: AdamW, optimizer_kwargs: {lr: 0.1}}]}\n");
  };
  EXPECT_EQ(at(with("AdamW"), {"optimizer", "lr"}), "0.1");
  EXPECT_NE(error_of([&] { with("Muon"); }).find("AdamW beside Muon cannot be said"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              job_file_with("optimizer: {param_groups: [a]}\n");
            }).find("must be a group of parameters"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              job_file_with("optimizer: {param_groups: [{_unknown_: \"X is not known here\"}]}\n");
            }).find("X is not known here"),
            std::string::npos);
}

// 16384 tokens are a micro-batch where nobody says it.
TEST(TorchtitanFunctionDocument, a_batch_is_whole_sequences) {
  EXPECT_NE(error_of([&] {
              job_file_with("training: {max_context_length: 3000}\n");
            }).find("16384 tokens are not whole sequences of 3000"),
            std::string::npos);
  EXPECT_EQ(at(job_file_with("training: {max_context_length: 32768}\n"), {"training", "seq_len"}),
            "16384");
}

}  // namespace
}  // namespace pipewright::test
