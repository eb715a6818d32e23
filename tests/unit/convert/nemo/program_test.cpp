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
                                  "recipe = llm.llama3_8b.pretrain_recipe(performance_mode="
                                  "True)\nrun.run(recipe)\n");
            }).find("what pretrain_performance_optimizations does to the job is not known"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
