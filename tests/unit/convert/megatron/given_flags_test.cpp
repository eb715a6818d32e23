#include "convert/megatron/given_flags.hpp"

#include <gmock/gmock.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

using megatron::GivenFlag;
using megatron::GivenFlags;
using testing::ElementsAre;
using testing::HasSubstr;

/// A launch whose arguments stand at columns 1, 2, 3 ... of a script.
job::Launch launch(const std::vector<std::string>& texts) {
  job::Launch made;
  for (const std::string& text : texts)
    made.arguments.push_back(
        {text, {"run.sh", 1, static_cast<int>(made.arguments.size()) + 1}, nullptr});
  return made;
}

TEST(MegatronGivenFlags, names_stand_in_the_order_in_which_they_are_first_given) {
  job::Import import;
  const GivenFlags given(launch({"--num-layers", "4", "--bf16", "--num_layers=8"}), import);
  EXPECT_THAT(given.names(), ElementsAre("num-layers", "bf16"));
  EXPECT_EQ(given.find("num-layers")->values.at(0).text, "8");
  EXPECT_EQ(given.find("fp16"), nullptr);
  ASSERT_EQ(import.assumed.size(), 1u);
  EXPECT_THAT(import.assumed[0], HasSubstr("given twice: the last one holds (run.sh:1:4)"));
}

// As argparse completes them, where only one argument begins so.
TEST(MegatronGivenFlags, the_beginning_of_a_name_will_do) {
  job::Import import;
  const GivenFlags given(launch({"--num-att", "16"}), import);
  const GivenFlag* heads = given.find("num-attention-heads");
  ASSERT_NE(heads, nullptr);
  EXPECT_EQ(heads->written(), "--num-attention-heads 16");
}

TEST(MegatronGivenFlags, values_are_as_many_as_an_argument_takes) {
  const auto error = [](const std::vector<std::string>& texts) {
    return error_of([&] {
      job::Import import;
      GivenFlags(launch(texts), import);
    });
  };
  EXPECT_THAT(error({"--num-layers"}), HasSubstr("run.sh:1:1: error: --num-layers needs a value"));
  EXPECT_THAT(
      error({"--num-layers", "4", "5"}),
      HasSubstr("run.sh:1:3: error: '5' belongs to no argument; before it is '--num-layers 4'. "
                "An array without quotes is cut at blanks: \"${ARGS[@]}\" keeps"));
  EXPECT_THAT(error({"--bf16", "true"}), HasSubstr("'true' belongs to no argument"));
  EXPECT_THAT(error({"--bf16=1"}), HasSubstr("--bf16 takes no value"));
}

// --no-cuda-graph-... came in 2025, and arguments that had gone by then stand beside it.
TEST(MegatronGivenFlags, a_beginning_stands_for_no_later_argument) {
  job::Import import;
  const GivenFlags beside(launch({"--no-cuda", "--model-parallel-size", "2"}), import);
  ASSERT_NE(beside.find("no-cuda"), nullptr);
  EXPECT_EQ(beside.find("no-cuda")->argument, nullptr);
  const GivenFlags alone(launch({"--num-att", "16", "--model-parallel-size", "2"}), import);
  EXPECT_NE(alone.find("num-attention-heads"), nullptr);
}

// A script for others says "your data path", and what a path is matters to nothing.
TEST(MegatronGivenFlags, words_where_the_user_is_to_give_a_path_are_one_value) {
  job::Import import;
  const GivenFlags given(launch({"--load", "your", "model", "path", "--bf16"}), import);
  EXPECT_EQ(given.find("load")->values.size(), 1u);
  EXPECT_NE(given.find("bf16"), nullptr);
  ASSERT_EQ(import.assumed.size(), 1u);
  EXPECT_THAT(import.assumed[0], HasSubstr("--load is taken to have one value"));
  EXPECT_THAT(error_of([&] {
                GivenFlags(launch({"--num-layers", "4", "x"}), import);
              }),
              HasSubstr("'x' belongs to no argument"));
}

}  // namespace
}  // namespace pipewright::test
