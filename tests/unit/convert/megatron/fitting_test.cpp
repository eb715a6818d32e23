#include "convert/megatron/fitting.hpp"

#include <gtest/gtest.h>

#include "convert/job/settings.hpp"
#include "lines_of.hpp"

namespace pipewright::test {
namespace {

std::string fitting(const char* along, const std::string& yaml) {
  return job::written(megatron::fitting(config::parse(along, "a.yaml"), experiment_of(yaml)));
}

std::string sharded(int zero) {
  std::string yaml = small_experiment;
  yaml.replace(yaml.find("zero: 1"), 7, "zero: " + std::to_string(zero));
  return yaml.replace(yaml.find("pipeline: 4, data: 2"), 20, "pipeline: 1, data: 8");
}

// transformer_config.py: shared experts hide sends to experts on several devices.
TEST(MegatronFitting, shared_experts_hide_what_is_sent) {
  const auto kept = [](const std::string& experts, const std::string& more) {
    return fitting("{moe-shared-expert-overlap: true}",
                   "model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024, "
                   "experts: {count: 8, active: 2, ffn: 512" +
                       experts +
                       "}}}\ncluster: {node: dgx-h100, nodes: 1}\nbatch: {global: 16, micro: 1, "
                       "sequence: 128}\nschedule: 1f1b\n" +
                       more);
  };
  const std::string spread = "parallel: {data: 8, expert: 8}\ndispatch: each-copy\n";
  EXPECT_EQ(kept(", shared: 1", spread), "{moe-shared-expert-overlap: true}");
  EXPECT_EQ(kept("", spread).find("moe"), std::string::npos);
  EXPECT_EQ(kept(", shared: 1", "parallel: {data: 8}\n").find("moe"), std::string::npos);
  EXPECT_EQ(
      kept(", shared: 1", "parallel: {data: 8, expert: 8}\ndispatch: all-gather\n").find("moe"),
      std::string::npos);
}

// Parts of weights that FSDP makes, its checkpoints and the fusing that it does without.
TEST(MegatronFitting, what_fsdp_asks_for_goes_with_it) {
  const char* along =
      "{lr: 1, init-model-with-meta-device: true, no-gradient-accumulation-fusion: true, "
      "ckpt-format: fsdp_dtensor}";
  EXPECT_EQ(fitting(along, sharded(1)), "{lr: 1}");
  EXPECT_EQ(fitting(along, sharded(3)),
            "{lr: 1, init-model-with-meta-device: true, no-gradient-accumulation-fusion: true, "
            "ckpt-format: fsdp_dtensor}");
}

TEST(MegatronFitting, fusing_is_left_out_where_a_user_says_so) {
  EXPECT_EQ(fitting("{no-gradient-accumulation-fusion: true, ckpt-format: torch}", sharded(1)),
            "{no-gradient-accumulation-fusion: true, ckpt-format: torch}");
}

// Keys of documents are arguments with other signs, and stand in sections.
TEST(MegatronFitting, keys_of_documents_fit_as_arguments_do) {
  EXPECT_EQ(fitting("{model: {init_model_with_meta_device: true, seed: 1}}", sharded(1)),
            "{model: {seed: 1}}");
}

// 8 replicas do not share 12 sequences.
TEST(MegatronFitting, an_evaluation_is_shared_evenly) {
  EXPECT_EQ(fitting("{eval-global-batch-size: 12, eval-iters: 3}", sharded(1)), "{eval-iters: 3}");
  EXPECT_EQ(fitting("{eval-global-batch-size: 16}", sharded(1)), "{eval-global-batch-size: 16}");
}

TEST(MegatronFitting, padding_is_for_narrow_formats) {
  EXPECT_EQ(fitting("{lr: 1, moe-router-padding-for-fp8: true}", small_experiment), "{lr: 1}");
}

}  // namespace
}  // namespace pipewright::test
