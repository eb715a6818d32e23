#include "convert/deepspeed/fork_arguments.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

struct Forks {
  job::Import import;
  std::string words;
};

Forks without(const std::string& arguments, bool partial = false) {
  const job::Source source{
      .text = {}, .file = "run.sh", .given = {}, .partial = partial, .read = {}};
  const std::vector<job::Launch> launches =
      job::launches(shell::follow("pretrain_gpt.py " + arguments, "run.sh", {}));
  Forks forks;
  for (const job::Word& word :
       deepspeed::without_forks_arguments(launches.at(0), source, forks.import).arguments)
    forks.words += (forks.words.empty() ? "" : " ") + word.text;
  return forks;
}

// microsoft/Megatron-DeepSpeed and bigscience-workshop/Megatron-DeepSpeed, megatron/arguments.py.
TEST(ForkArguments, what_has_a_counterpart_is_renamed) {
  EXPECT_EQ(without("--num-layers 4 --pad-vocab-size-to 250880 --glu-activation geglu").words,
            "--num-layers 4 --padded-vocab-size 250880 --gated-linear-unit");
  EXPECT_EQ(without("--ds-sequence-parallel-size=2 --bf16").words,
            "--cp-comm-type=a2a --context-parallel-size 2 --bf16");
}

// PipelineModule counts the layers whose names match: the embedding, and its copy before the loss.
TEST(ForkArguments, stages_may_count_the_embedding_as_a_layer) {
  const std::string method = "--pp-partition-method 'type:transformer|embedding'";
  const std::string stages = " --pipeline-model-parallel-size 2 --num-layers ";
  EXPECT_EQ(without(method + stages + "4").words,
            "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split" +
                stages + "4");
  EXPECT_EQ(without(method + stages + "3 --untie-embeddings-and-output-weights").words,
            "--account-for-embedding-in-pipeline-split" + stages +
                "3 --untie-embeddings-and-output-weights");
}

TEST(ForkArguments, what_does_not_matter_is_listed) {
  const Forks forks = without("--deepspeed --lr-decay-tokens 300 --embed-layernorm --bf16");
  EXPECT_EQ(forks.words, "--bf16");
  EXPECT_EQ(forks.import.unused,
            std::vector<std::string>({"--deepspeed", "--lr-decay-tokens 300"}));
  EXPECT_EQ(forks.import.slight.size(), 1U);
}

TEST(ForkArguments, what_matters_and_cannot_be_said_is_refused) {
  EXPECT_EQ(error_of([] { without("--bf16 --random-ltd"); }),
            "run.sh:1:24: error: --random-ltd cannot be said: tokens that are dropped are not "
            "modelled; --partial goes on without it, and says so in the experiment");
  EXPECT_EQ(without("--random-ltd", true).import.refused.size(), 1U);
  EXPECT_EQ(without("--eval-only False").words, "");
}

}  // namespace
}  // namespace pipewright::test
