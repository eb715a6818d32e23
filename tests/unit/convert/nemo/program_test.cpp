#include "convert/nemo/program.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Import import_nemo_program(const std::string& text,
                                std::map<std::string, std::string> given = {}) {
  return nemo::import_program(
      {.text = text, .file = "run.py", .given = std::move(given), .partial = false, .read = {}});
}

const std::string nemo_head = "import nemo_run as run\nfrom nemo.collections import llm\n";

// recipes/llama3_70b.py: 4 x 4 x 2 devices a replica of 8 x 8.
TEST(NemoProgram, a_recipe_and_what_is_changed_of_it) {
  const job::Import import = import_nemo_program(
      nemo_head +
      "def configure(nodes: int = 8):\n    recipe = llm.llama3_70b.pretrain_recipe(\n        "
      "dir=\"/checkpoints\", name=\"x\", num_nodes=nodes, num_gpus_per_node=8)\n    recipe."
      "trainer.strategy.virtual_pipeline_model_parallel_size = None\n    recipe.data."
      "global_batch_size = 128\n    recipe.trainer.max_steps = 100\n    return recipe\n"
      "def go():\n    recipe = configure()\n    executor = run.LocalExecutor(ntasks_per_node="
      "recipe.trainer.devices)\n    run.run(recipe, executor=executor)\n"
      "if __name__ == \"__main__\":\n    go()\n");
  const config::Value& e = import.experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "80");
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "4");
  EXPECT_EQ(at(e, {"parallel", "pipeline"}), "4");
  EXPECT_EQ(at(e, {"parallel", "context"}), "2");
  EXPECT_EQ(at(e, {"parallel", "data"}), "2");
  EXPECT_EQ(at(e, {"schedule"}), "1f1b");
  EXPECT_EQ(at(e, {"batch", "global"}), "128");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(at(e, {"training", "tokens"}), "104857600");  // 100 x 128 x 8192
}

// nemo_run/config.py: whatever has the argument gets it. 50 x 512 x 8192 tokens.
TEST(NemoProgram, what_is_broadcast_reaches_all_that_have_it) {
  const std::string recipe =
      nemo_head +
      "recipe = llm.llama3_8b.pretrain_recipe(dir=\"/c\", name=\"x\", num_nodes=1, "
      "num_gpus_per_node=8)\n";
  EXPECT_EQ(at(import_nemo_program(recipe + "recipe.broadcast(max_steps=50)\nrun.run(recipe)\n")
                   .experiment,
               {"training", "tokens"}),
            "209715200");
  EXPECT_NE(error_of([&] {
              import_nemo_program(recipe + "recipe.broadcast(x=1)\nrun.run(recipe)\n");
            }).find("recipe.broadcast"),
            std::string::npos);
}

// recipes/nemotron4_15b.py and gemma2_9b.py take their degrees as arguments.
TEST(NemoProgram, some_recipes_take_their_degrees) {
  const auto degrees = [](const std::string& call) {
    const config::Value e =
        import_nemo_program(nemo_head + "run.run(llm." + call + ")\n").experiment;
    return at(e, {"parallel", "tensor"}) + " " + at(e, {"batch", "global"});
  };
  EXPECT_EQ(degrees("nemotron4_15b.pretrain_recipe()"), "4 32");
  EXPECT_EQ(degrees("nemotron4_15b.pretrain_recipe(tensor_parallelism=2, global_batch_size=64)"),
            "2 64");
  EXPECT_EQ(error_of([&] { degrees("llama3_8b.pretrain_recipe(tensor_parallelism=2)"); }),
            "run.py:3:58: error: pretrain_recipe takes no argument tensor_parallelism");
}

TEST(NemoProgram, only_experiments_add_recipes) {
  const config::Value e =
      import_nemo_program(nemo_head +
                          "registry.add(llm.llama3_8b.pretrain_recipe())\n"
                          "run.run(llm.llama3_70b.pretrain_recipe(num_nodes=8))\n")
          .experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "80");
}

TEST(NemoProgram, an_experiment_of_nemo_run_takes_it_too) {
  const job::Import import = import_nemo_program(
      nemo_head +
      "recipe = llm.mixtral_8x7b.pretrain_recipe(num_nodes=8)\nwith run.Experiment(\"a\") as "
      "exp:\n    exp.add(recipe, executor=e)\n    exp.run(sequential=True)\n");
  EXPECT_EQ(at(import.experiment, {"parallel", "expert"}), "8");
  EXPECT_EQ(at(import.experiment, {"parallel", "virtual"}), "8");
}

TEST(NemoProgram, what_is_no_recipe_that_is_known_is_named) {
  EXPECT_EQ(
      error_of([] {
        import_nemo_program(nemo_head + "recipe = llm.mine.pretrain_recipe()\nrun.run(recipe)\n");
      }),
      "run.py:4:9: error: mine.pretrain_recipe is no recipe of NeMo 2 that is known here: let "
      "NeMo-Run write it by '--to-yaml FILE'");
  EXPECT_NE(error_of([] {
              import_nemo_program(nemo_head +
                                  "recipe = llm.gemma2_9b.pretrain_recipe(performance_mode="
                                  "True)\nrun.run(recipe)\n");
            }).find("what pretrain_performance_optimizations does to the job is not known"),
            std::string::npos);
}

// nemo/collections/llm/api.py and gpt/model/base.py: a model has an optimizer that is cut where
// nobody gives one. 2 x 2 devices a replica, of 8.
TEST(NemoProgram, a_function_that_trains_by_its_parts) {
  const config::Value e =
      import_nemo_program(
          "import argparse\nimport torch\nfrom nemo import lightning as nl\nfrom nemo.collections "
          "import llm\n"
          "def args():\n    p = argparse.ArgumentParser()\n    p.add_argument('--layers', "
          "type=int, "
          "default=12)\n    return p.parse_args()\n"
          "if __name__ == '__main__':\n    a = args()\n    data = "
          "llm.MockDataModule(seq_length=1024, "
          "global_batch_size=32, micro_batch_size=4)\n"
          "    config = llm.GPTConfig(num_layers=a.layers, hidden_size=768, ffn_hidden_size=3072, "
          "num_attention_heads=12, vocab_size=50304)\n"
          "    trainer = nl.Trainer(devices=8, strategy=nl.MegatronStrategy("
          "tensor_model_parallel_size=2, pipeline_model_parallel_size=2), "
          "plugins=[nl.MegatronMixedPrecision(precision='bf16-mixed')], max_steps=10)\n"
          "    llm.train(llm.GPTModel(config, tokenizer=data.tokenizer), data, trainer=trainer)\n",
          {{"layers", "24"}})
          .experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "24");
  EXPECT_EQ(at(e, {"model", "transformer", "vocabulary"}), "50304");
  EXPECT_EQ(at(e, {"parallel", "data"}), "2");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "1");
  EXPECT_EQ(at(e, {"batch", "micro"}), "4");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(at(e, {"gradients"}), "fp32");
}

// nemo_run/cli: what the command line begins with is the program's own word; checkpoints that an
// experiment converts are no training.
TEST(NemoProgram, a_factory_is_what_the_command_line_begins_with) {
  const auto tensor = [](const std::string& rest) {
    return at(import_nemo_program(nemo_head + rest).experiment, {"parallel", "tensor"});
  };
  EXPECT_EQ(tensor("def other():\n    return 1\ndef recipe():\n    return "
                   "llm.llama3_70b.pretrain_recipe(num_nodes=8)\nrun.cli.main(llm.pretrain, "
                   "default_factory=recipe)\n"),
            "4");
  EXPECT_EQ(tensor("with run.Experiment('a') as exp:\n    exp.add(run.Partial(llm.import_ckpt, "
                   "model=1))\n    exp.add(llm.llama3_70b.pretrain_recipe(num_nodes=8))\n"),
            "4");
}

// A class is a dataclass, whose fields its maker may set.
TEST(NemoProgram, sizes_stand_over_those_of_a_class) {
  const config::Value e =
      import_nemo_program(
          nemo_head +
          "recipe = llm.llama31_8b.pretrain_recipe(num_nodes=1)\nrecipe.model = run.Config("
          "llm.LlamaModel, run.Config(llm.Llama3Config8B, num_layers=12, hidden_size=768, "
          "ffn_hidden_size=2688, num_attention_heads=16))\nrun.run(recipe)\n")
          .experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "12");
  EXPECT_EQ(at(e, {"model", "transformer", "hidden"}), "768");
  EXPECT_EQ(at(e, {"model", "transformer", "heads"}), "16");
  EXPECT_EQ(at(e, {"model", "transformer", "kv_heads"}), "8");
}

// scripts/performance/helpers.py: bf16 reduces gradients in bf16, and a degree over 1 splits the
// sequence. recipes/llama3_8b.py by itself has a context of 2.
TEST(NemoProgram, performance_helpers_are_known) {
  const config::Value e =
      import_nemo_program(
          nemo_head +
          "from scripts.performance.helpers import set_primary_perf_configs\n"
          "recipe = llm.llama3_8b.pretrain_recipe(performance_mode=True)\n"
          "recipe = set_primary_perf_configs(recipe, 'pre_train', 2, 8, 2, 128, 50, 2, 1, 1, 1, 1, "
          "compute_dtype='bf16')\nrun.run(recipe)\n")
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "2");
  EXPECT_EQ(at(e, {"parallel", "data"}), "8");
  EXPECT_EQ(at(e, {"parallel", "sequence"}), "true");
  EXPECT_EQ(at(e, {"batch", "global"}), "128");
  EXPECT_EQ(at(e, {"gradients"}), "bf16");
  EXPECT_EQ(at(e, {"overlap", "data"}), "true");
}

}  // namespace
}  // namespace pipewright::test
