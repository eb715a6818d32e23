#include "convert/job/handed_over.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

constexpr std::string_view titan[] = {"--job.config_file"}, hydra[] = {"--config-name"};
constexpr job::Handing options{.framework = "torchtitan", .options = titan, .has_options = true};
constexpr job::Handing words{
    .framework = "NeMo", .options = hydra, .folder_option = "--config-path", .suffix = ".yaml"};

job::HandedOver followed(const std::string& script, const job::Handing& handing,
                         std::map<std::string, std::string> given = {}) {
  const job::Source source{.text = script,
                           .file = "run.sh",
                           .given = std::move(given),
                           .read = [](const std::string& path) -> std::optional<std::string> {
                             if (path.find("missing") != std::string::npos) return std::nullopt;
                             return "text of " + path;
                           }};
  return job::handed_over(source, handing);
}

// As torchtitan's run_train.sh does; its parser (tyro) has section.no-key for false.
TEST(HandedOver, options_of_a_command_stand_over_the_file) {
  const job::HandedOver read = followed(
      "NGPU=${NGPU:-\"8\"}\nCONFIG_FILE=${CONFIG_FILE:-\"./a/job.toml\"}\n"
      "torchrun --nnodes 2 --nproc_per_node=${NGPU} -m torchtitan.train --job.config_file "
      "${CONFIG_FILE} --training.seq-len=4096 --compile.enable --metrics.no-enable-wandb "
      "--model.converters float8,mx \"$@\"\n",
      options);
  EXPECT_EQ(read.file, "./a/job.toml");
  EXPECT_EQ(read.text, "text of ./a/job.toml");
  EXPECT_EQ(read.words, (std::vector<std::string>{"training.seq_len=4096", "compile.enable=true",
                                                  "metrics.enable_wandb=false",
                                                  "model.converters=[float8,mx]"}));
  EXPECT_EQ(read.given.at("NGPU"), "16");
}

// As torchtitan's run_train.sh does since February 2026.
TEST(HandedOver, a_module_and_its_function_name_the_settings) {
  constexpr job::Handing modules{
      .framework = "torchtitan",
      .options = titan,
      .has_options = true,
      .files_of_module = [](const std::string& module) -> std::vector<std::string> {
        return {"missing/" + module, module + ".py"};
      }};
  const job::HandedOver read = followed(
      "MODULE=${MODULE:-\"llama3\"}\nCONFIG=${CONFIG:-\"llama3_debugmodel\"}\n"
      "torchrun --nproc_per_node=8 -m torchtitan.train --module ${MODULE} --config ${CONFIG} "
      "--training.steps 5 activation-checkpoint:full \"$@\"\n",
      modules, {{"CONFIG", "llama3_8b"}});
  EXPECT_EQ(read.file, "llama3.py");
  EXPECT_EQ(read.given.at("MODULE"), "llama3");
  EXPECT_EQ(read.given.at("CONFIG"), "llama3_8b");
  EXPECT_EQ(read.words,
            (std::vector<std::string>{"training.steps=5", "activation_checkpoint=full"}));
}

// What the script asks for is of use there; the rest is the job's.
TEST(HandedOver, definitions_that_the_script_takes_are_its_own) {
  const job::HandedOver read =
      followed("torchrun --nproc_per_node=4 train.py --job.config_file ${CONFIG}\n", options,
               {{"CONFIG", "b.toml"}, {"OTHER", "1"}});
  EXPECT_EQ(read.file, "b.toml");
  EXPECT_FALSE(read.given.contains("CONFIG"));
  EXPECT_EQ(read.given.at("OTHER"), "1");
  EXPECT_EQ(read.given.at("NGPU"), "4");
}

// As Primus's examples/run_pretrain.sh takes it, with what stands behind the script.
TEST(HandedOver, a_variable_names_the_file) {
  constexpr job::Handing by_variable{.framework = "Primus",
                                     .options = titan,
                                     .suffix = ".yaml",
                                     .variable = "EXP",
                                     .has_options = true};
  const auto check = [&](const std::string& script) {
    const job::HandedOver read = followed(script, by_variable);
    EXPECT_EQ(read.file, "a/b.yaml");
    EXPECT_EQ(read.words, (std::vector<std::string>{"micro_batch_size=4"}));
  };
  check("EXP=a/b.yaml bash ./missing/run.sh --micro_batch_size 4\n");
  check("export EXP=a/b.yaml\nbash ./missing/run.sh --micro_batch_size 4\n");
  EXPECT_NE(error_of([&] {
              followed("EXP=missing.yaml bash missing/run.sh\n", by_variable);
            }).find("'missing.yaml', which has the settings, cannot be read"),
            std::string::npos);
  EXPECT_TRUE(job::hands_over("EXP=a/b.yaml bash run.sh\n", by_variable));
  EXPECT_FALSE(job::hands_over("bash run.sh\n", by_variable));
}

TEST(HandedOver, hydras_words_stand_over_the_file) {
  const job::HandedOver read = followed(
      "srun --nodes=2 --ntasks-per-node=8 python ex/pretrain.py --config-path=conf "
      "--config-name=gpt trainer.devices=8 ++model.fp8=True exp_manager.dir=$DIR\n",
      words);
  EXPECT_EQ(read.file, "conf/gpt.yaml");
  EXPECT_EQ(read.words, (std::vector<std::string>{"trainer.devices=8", "++model.fp8=True",
                                                  "exp_manager.dir=${DIR}"}));
}

TEST(HandedOver, a_file_that_is_not_there_is_named) {
  EXPECT_EQ(
      error_of([] { followed("torchrun train.py --job.config_file missing.toml\n", options); }),
      "run.sh:1:37: error: 'missing.toml', which has the settings, cannot be read: import it, "
      "with the words of this command behind it");
  EXPECT_EQ(error_of([] { followed("python train.py\n", options); }),
            "run.sh:1:1: error: no command of this script hands a file of settings to a program of "
            "torchtitan (--job.config_file FILE): give the file itself");
}

TEST(HandedOver, comments_hand_nothing_over) {
  EXPECT_TRUE(job::hands_over("a\n  --job.config_file x.toml\n", options));
  EXPECT_FALSE(job::hands_over("# --job.config_file x.toml\na\n", options));
}

}  // namespace
}  // namespace pipewright::test
