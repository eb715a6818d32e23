#include "convert/nemo/writer.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "../megatron/lines_of.hpp"

namespace pipewright::test {
namespace {

config::Value recipe_of(const std::string& more) {
  return config::parse(nemo::write_recipe(experiment_of(small_experiment + more)), "r.yaml");
}

TEST(NemoWriter, a_recipe_is_a_call_with_its_classes) {
  const config::Value recipe = recipe_of("");
  EXPECT_EQ(at(recipe, {"_target_"}), "nemo.collections.llm.api.pretrain");
  EXPECT_EQ(at(recipe, {"model", "config", "_target_"}),
            "nemo.collections.llm.gpt.model.base.GPTConfig");
  EXPECT_EQ(at(recipe, {"model", "config", "num_layers"}), "6");
  EXPECT_EQ(at(recipe, {"model", "config", "vocab_size"}), "1024");
  EXPECT_EQ(at(recipe, {"data", "seq_length"}), "128");
  EXPECT_EQ(at(recipe, {"data", "global_batch_size"}), "16");
  EXPECT_EQ(at(recipe, {"optim", "config", "use_distributed_optimizer"}), "true");
  EXPECT_EQ(at(recipe, {"trainer", "plugins", "precision"}), "bf16-mixed");
}

// 2 x 4 x 2 devices are two nodes of eight.
TEST(NemoWriter, the_trainer_says_devices_and_degrees) {
  const config::Value trainer = *recipe_of("training: {tokens: 20480}\n").find("trainer");
  EXPECT_EQ(at(trainer, {"devices"}), "8");
  EXPECT_EQ(at(trainer, {"num_nodes"}), "2");
  EXPECT_EQ(at(trainer, {"max_steps"}), "10");
  EXPECT_EQ(at(trainer, {"strategy", "tensor_model_parallel_size"}), "2");
  EXPECT_EQ(at(trainer, {"strategy", "pipeline_model_parallel_size"}), "4");
}

// megatron_strategy.py: fsdp is "megatron" or "pytorch".
TEST(NemoWriter, sharded_weights_have_a_word_of_their_own) {
  const config::Value recipe = config::parse(nemo::write_recipe(experiment_of(R"(
model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024}}
cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {data: 8, zero: 3}
batch: {global: 16, micro: 1, sequence: 128}
schedule: 1f1b
)")),
                                             "r.yaml");
  const config::Value& strategy = *recipe.find("trainer")->find("strategy");
  EXPECT_EQ(at(strategy, {"fsdp"}), "megatron");
  EXPECT_EQ(at(strategy, {"ddp", "data_parallel_sharding_strategy"}), "optim_grads_params");
  EXPECT_EQ(at(strategy, {"ddp", "use_megatron_fsdp"}), "none");
}

TEST(NemoWriter, the_callback_says_what_hides) {
  const config::Value recipe = recipe_of("overlap: {data: false}\n");
  const config::Value& callback = recipe.find("trainer")->find("callbacks")->items.at(0);
  EXPECT_NE(at(callback, {"_target_"}).find("MegatronCommOverlapCallback"), std::string::npos);
  EXPECT_EQ(at(callback, {"overlap_grad_reduce"}), "false");
  EXPECT_EQ(at(callback, {"overlap_p2p_comm"}), "false");
}

// A class of data that the job brought has its own arguments.
TEST(NemoWriter, what_goes_along_stands_beside) {
  const config::Value along = config::parse(
      "{data: {_target_: nemo.collections.llm.PreTrainingDataModule, paths: [a], seq_length: 9},\n"
      " optim: {config: {lr: 0.0003}}}",
      "a.yaml");
  const config::Value recipe =
      config::parse(nemo::write_recipe(experiment_of(small_experiment), along), "r.yaml");
  EXPECT_EQ(at(recipe, {"data", "_target_"}), "nemo.collections.llm.PreTrainingDataModule");
  EXPECT_EQ(at(recipe, {"data", "seq_length"}), "128");
  EXPECT_EQ(recipe.find("data")->find("paths")->items.at(0).text, "a");
  EXPECT_EQ(at(recipe, {"optim", "config", "lr"}), "0.0003");
}

TEST(NemoWriter, the_activation_is_a_function) {
  EXPECT_EQ(at(recipe_of(""), {"model", "config", "activation_func", "_target_"}),
            "torch.nn.functional.silu");
}

}  // namespace
}  // namespace pipewright::test
