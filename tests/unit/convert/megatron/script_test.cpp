#include "convert/megatron/script.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronScript, what_it_takes_from_outside_is_asked_for) {
  const std::string script = "torchrun --nnodes $NNODES --nproc_per_node 8 " + small_job;
  EXPECT_EQ(
      error_of([&] { import_text(script); }),
      "run.sh:1:19: error: --nnodes of the launcher hangs on ${NNODES}, which the script takes "
      "from outside: give it by --define NNODES=VALUE");
  const config::Value e = import_text(script, false, {{"NNODES", "4"}}).experiment;
  EXPECT_EQ(at(e, {"parallel", "data"}), "32");
  EXPECT_NE(error_of([&] {
              import_text(small_job, false, {{"N", "4"}});
            }).find("no variable N"),
            std::string::npos);
  EXPECT_EQ(at(import_text(small_job, false, {{"NGPU", "64"}}).experiment, {"parallel", "data"}),
            "64");
}

TEST(MegatronScript, a_script_that_ends_early_says_what_it_lacks) {
  const std::string script =
      "if [ -z \"$SIZE\" ]; then\n  echo usage\n  exit 1\nfi\n" + small_job + "\n";
  const std::string error = error_of([&] { import_text(script); });
  EXPECT_NE(error.find("run.sh:3:3"), std::string::npos) << error;
  EXPECT_NE(error.find("it takes SIZE from outside"), std::string::npos) << error;
  EXPECT_NO_THROW(import_text(script, false, {{"SIZE", "7b"}}));
}

// An environment of Python starts nothing.
TEST(MegatronScript, scripts_that_may_train_and_are_not_there_are_named) {
  EXPECT_EQ(error_of([&] {
              import_text("source /venv/bin/activate\nsource /env.sh\nmpirun bash /train.sh\n");
            }),
            "run.sh:3:13: error: '/train.sh' cannot be read, nor can '/env.sh', and no command "
            "here has the arguments of a training of Megatron-LM");
}

TEST(MegatronScript, a_script_that_counts_its_arguments_says_how_to_give_them) {
  const std::string script = "[ \"$#\" -ne 1 ] && exit 1\n" + small_job + "\n";
  EXPECT_NE(error_of([&] {
              import_text(script);
            }).find("it takes arguments (--define 1=VALUE and so on)"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              import_text("[ $# -lt 2 ] && exit 1\nA=$1\nB=${3}x\n" + small_job);
            }).find("it takes arguments (--define 1=VALUE to 3=VALUE)"),
            std::string::npos);
  EXPECT_NO_THROW(import_text(script, false, {{"1", "x"}}));
}

TEST(MegatronScript, what_the_machine_decides_is_refused_only_where_it_matters) {
  const std::string harmless = "if [ -f ckpt ]; then L=\"--load ckpt\"; fi\n" + small_job + "$L\n";
  EXPECT_NO_THROW(import_text(harmless));
  const std::string matters =
      "if [ -f big ]; then P=2; else P=1; fi\n" + small_job + "--pipeline-model-parallel-size $P\n";
  const std::string error = error_of([&] { import_text(matters); });
  EXPECT_NE(error.find("run.sh:1:1"), std::string::npos) << error;
  EXPECT_NE(error.find("[ -f big ]"), std::string::npos) << error;
  EXPECT_EQ(import_text(matters, true).refused.size(), 1u);
}

TEST(MegatronScript, nodes_come_from_the_scheduler) {
  const std::string script =
      "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gpus-per-node=8\nsrun " + small_job;
  EXPECT_EQ(at(import_text(script).experiment, {"cluster", "nodes"}), "4");
}

TEST(MegatronScript, a_script_without_a_training_is_named) {
  EXPECT_EQ(error_of([] { import_text("echo hello\n"); }),
            "run.sh:1:1: error: nothing here starts a training of Megatron-LM: no command has "
            "--num-layers");
  EXPECT_NE(error_of([] { import_text("# --num-layers 4\necho hello\n"); }).find("nothing here"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              import_text("accelerate launch --config_file fsdp.yaml train.py --lr 1");
            }).find("no command has --num-layers; 'import accelerate' reads fsdp.yaml"),
            std::string::npos);
}

TEST(MegatronScript, arguments_that_another_script_takes_are_named_so) {
  EXPECT_NE(error_of([] {
              import_text("MODEL_ARGS=(\n --num-layers 4\n)\n");
            }).find("import the script that sources it"),
            std::string::npos);
}

TEST(MegatronScript, sizes_in_a_checkpoint_are_those_of_the_model_that_is_given) {
  const std::string script =
      "torchrun --nproc_per_node 8 pretrain_gpt.py --use-checkpoint-args --load ckpt --bf16 "
      "--micro-batch-size 1 --seq-length 2048 ";
  EXPECT_NE(error_of([&] { import_text(script); }).find("--model NAME gives them"),
            std::string::npos);
  const auto with_model = [&](const std::string& more) {
    const std::string text = script + more;
    return megatron::import_script({.text = text, .file = "run.sh", .model = "llama-3-8b"});
  };
  EXPECT_EQ(at(with_model("").experiment, {"model", "transformer", "layers"}), "32");
  EXPECT_NE(error_of([&] { with_model("--hidden-size 1024"); }).find("--hidden-size 1024"),
            std::string::npos);
}

TEST(MegatronScript, programs_of_other_frameworks_are_told_by_their_arguments) {
  EXPECT_NE(error_of([] {
              import_text(small_job + "--rollout-batch-size 8");
            }).find("reinforcement learning is not modelled"),
            std::string::npos);
}

TEST(MegatronScript, conditions_that_are_not_tried_are_told) {
  std::string script;
  for (int i = 0; i < 60; ++i) script += "if [ -f /some/file ]; then X=1; fi\n";
  const job::Import import = import_text(script + small_job);
  EXPECT_NE(std::find(import.assumed.begin(), import.assumed.end(),
                      "of 60 conditions that only the machine decides those after the first 48 "
                      "change nothing that matters"),
            import.assumed.end());
}

TEST(MegatronScript, programs_of_other_frameworks_are_told_by_their_folders) {
  const std::string arguments = " --num-layers 2 --hidden-size 64";
  EXPECT_NE(error_of([&] {
              import_text("python tools/retro/main.py" + arguments);
            }).find("retrieval is not modelled"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              import_text("torchrun -m examples.gpt_inference" + arguments);
            }).find("'gpt_inference.py' cannot be said: it generates text"),
            std::string::npos);
}

// A fork's arguments become Megatron-LM's where somebody makes them so.
TEST(MegatronScript, arguments_may_be_prepared) {
  const auto prepare = [](job::Launch launch, const job::Source&, job::Import& notes) {
    notes.assumed.emplace_back("a fork");
    launch.arguments.push_back({"--untie-embeddings-and-output-weights", launch.where, {}, {}});
    return launch;
  };
  const job::Import import =
      megatron::import_script({.text = small_job, .file = "run.sh", .given = {}}, prepare);
  EXPECT_EQ(at(import.experiment, {"model", "transformer", "tied_embeddings"}), "false");
  EXPECT_NE(std::find(import.assumed.begin(), import.assumed.end(), "a fork"),
            import.assumed.end());
}

}  // namespace
}  // namespace pipewright::test
