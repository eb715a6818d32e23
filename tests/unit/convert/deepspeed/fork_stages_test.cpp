#include "convert/deepspeed/fork_stages.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

struct Stages {
  std::string words;
  job::Import import;
};

Stages with(const std::string& arguments, std::map<std::string, std::string> given = {}) {
  const job::Source source{
      .text = {}, .file = "run.sh", .given = std::move(given), .partial = false, .read = {}};
  const auto launches = job::launches(shell::follow("pretrain_gpt.py " + arguments, "run.sh", {}));
  Stages stages;
  for (const job::Word& word :
       deepspeed::with_megatrons_stages(launches.at(0).arguments, source, stages.import))
    stages.words += (stages.words.empty() ? "" : " ") + word.text;
  return stages;
}

const std::string sizes = "--hidden-size 256 --num-attention-heads 4 ";

TEST(ForkStages, that_are_alike_need_no_layout) {
  const std::string even = sizes + "--num-layers 6 --pipeline-model-parallel-size 3";
  EXPECT_EQ(with(even).words, even);
  EXPECT_EQ(with(even + " --pp-partition-method type:transformer").words, even);
  // One stage has all layers.
  EXPECT_EQ(with(sizes + "--num-layers 6 --pp-partition-method=uniform").words,
            sizes + "--num-layers 6");
}

TEST(ForkStages, that_differ_are_a_layout) {
  const std::string uneven = sizes + "--num-layers 6 --pipeline-model-parallel-size 4";
  const Stages stages = with(uneven);
  EXPECT_EQ(stages.words, uneven + " --pipeline-model-parallel-layout Ett|tt|t|tL");
  ASSERT_EQ(stages.import.assumed.size(), 1u);
  EXPECT_NE(stages.import.assumed[0].find("stages have 2, 2, 1, 1 layers"), std::string::npos);
  EXPECT_EQ(with(uneven + " --pp-partition-method uniform").words,
            uneven + " --pipeline-model-parallel-layout Et|ttt|tt|L");
}

TEST(ForkStages, by_parameters_need_the_vocabulary) {
  const std::string uneven = sizes +
                             "--num-layers 6 --pipeline-model-parallel-size 2 "
                             "--pp-partition-method parameters --tokenizer-type PretrainedFromHF";
  EXPECT_NE(error_of([&] { with(uneven); }).find("--define VOCAB_SIZE=N"), std::string::npos);
  EXPECT_NE(with(uneven, {{"VOCAB_SIZE", "32000"}}).words.find("Ettt|tttL"), std::string::npos);
}

TEST(ForkStages, need_a_method_of_deepspeed) {
  const std::string other = sizes +
                            "--num-layers 6 --pipeline-model-parallel-size 2 "
                            "--pp-partition-method profile";
  EXPECT_NE(error_of([&] { with(other); }).find("run.sh:1:"), std::string::npos);
}

// Arguments are refused where they are read.
TEST(ForkStages, sizes_that_there_are_not_change_nothing) {
  const std::string none = sizes + "--num-layers 6 --pipeline-model-parallel-size 0";
  EXPECT_EQ(with(none).words, none);
  const std::string most = "9223372036854775807";
  EXPECT_NE(error_of([&] {
              with("--hidden-size " + most + " --num-attention-heads 0 --num-layers " + most +
                   " --pipeline-model-parallel-size 4 --pp-partition-method uniform");
            }).find("cannot be said"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
