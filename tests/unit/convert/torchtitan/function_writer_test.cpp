#include "convert/torchtitan/function_writer.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "convert/job/carried.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

std::string function_of_experiment(const std::string& more, const std::string& model = "") {
  const std::string text =
      "model: " + (model.empty() ? "llama-3-8b" : model) +
      "\ncluster: {node: dgx-h100, nodes: 1}\nschedule: 1f1b\nframework: torchtitan\n" + more;
  const config::Value document = config::parse(text, "e.yaml");
  return torchtitan::write_function(read_experiment(resolve(document, config::Catalogue())),
                                    nullptr, {});
}

bool says(const std::string& text, const std::string& line) {
  return text.find(line) != std::string::npos;
}

// torchtitan/distributed/pipeline_parallel.py: the last stage ends with norm and lm_head.
TEST(TorchtitanFunctionWriter, the_head_is_called_lm_head) {
  const std::string text = function_of_experiment(
      "parallel: {pipeline: 2}\nbatch: {global: 2, micro: 1, sequence: 4096}\npartition: [15, "
      "17]\n");
  EXPECT_TRUE(says(text, "\"layers.31\", \"norm\", \"lm_head\"]")) << text;
}

// 8 sequences of a step on 8 replicas; torchtitan counts their tokens.
TEST(TorchtitanFunctionWriter, a_batch_is_its_tokens) {
  const std::string text = function_of_experiment(
      "parallel: {data: 8, zero: 3}\nbatch: {global: 16, micro: 1, sequence: 4096}\n");
  for (const char* line :
       {"from torchtitan.models.llama3 import model_registry\n", "model_registry(\"8B\")",
        "num_tokens_per_microbatch_per_dp_rank=4096,", "num_tokens_per_train_step=65536,",
        "max_context_length=4096,", "disable_cuda_graphs=True,", "activation_checkpoint=None,"})
    EXPECT_TRUE(says(text, line)) << line << text;
}

TEST(TorchtitanFunctionWriter, a_pipeline_has_micro_batches) {
  const std::string text = function_of_experiment(
      "parallel: {data: 2, tensor: 2, pipeline: 2, sequence: true, zero: 3}\nbatch: {global: 16, "
      "micro: 2, sequence: 4096}\nrecompute: full\n");
  for (const char* line : {"num_pp_microbatches=4,", "num_tokens_per_microbatch_per_dp_rank=8192,",
                           "pipeline_parallel_degree=2,", "FullAC.Config()"})
    EXPECT_TRUE(says(text, line)) << line << text;
}

TEST(TorchtitanFunctionWriter, what_only_job_files_say_is_refused) {
  const std::string usual =
      "parallel: {data: 8, zero: 3}\nbatch: {global: 8, micro: 1, sequence: 4096}\n";
  EXPECT_TRUE(
      says(error_of([&] { function_of_experiment(usual + "precision: {fp8: tensorwise}\n"); }),
           "scales fp8 by rows"));
  EXPECT_TRUE(says(error_of([&] { function_of_experiment(usual, "llama-2-7b"); }),
                   "torchtitan has llama2 in its job files (TOML) only"));
}

TEST(TorchtitanFunctionWriter, keys_that_functions_lost_do_not_go_along) {
  config::Value along;
  for (const char* path : {"metrics.log_freq", "optimizer.lr", "memory_estimation.enable",
                           "checkpoint.enable_first_step_checkpoint", "step.tokens"})
    job::set_at(along, path, config::number(1));
  const std::string text = "model: llama-3-8b\ncluster: {node: dgx-h100, nodes: 1}\n";
  const Experiment experiment =
      read_experiment(resolve(config::parse(text, "e.yaml"), config::Catalogue()));
  EXPECT_EQ(job::paths_of(torchtitan::along_of_function(along, experiment)),
            (std::vector<std::string>{"metrics.log_freq", "optimizer.lr", "step.tokens"}));
}

}  // namespace
}  // namespace pipewright::test
