#include "convert/megatron/arguments.hpp"

#include <gtest/gtest.h>

#include "flags_of.hpp"

namespace pipewright::test {
namespace {

using megatron::Argument;
using megatron::Effect;
using megatron::find_argument;

TEST(MegatronArguments, are_in_order_and_found) {
  std::string_view last;
  for (const Argument& argument : megatron::arguments()) {
    EXPECT_LT(last, argument.name);
    EXPECT_EQ(find_argument(argument.name), &argument);
    EXPECT_FALSE(argument.note.empty()) << argument.name;
    EXPECT_LE(argument.from, argument.to) << argument.name;
    last = argument.name;
  }
  EXPECT_GT(megatron::arguments().size(), 1000u);
  EXPECT_EQ(find_argument("no-such-thing"), nullptr);
}

// Of these nobody may say that they do not matter.
TEST(MegatronArguments, that_matter_are_not_called_irrelevant) {
  for (const char* name : {"fp8-format",
                           "fp8-recipe",
                           "fp4-format",
                           "tokenizer-type",
                           "vocab-size",
                           "recompute-granularity",
                           "sequence-parallel",
                           "rampup-batch-size",
                           "mtp-num-layers",
                           "enable-cuda-graph",
                           "moe-token-dispatcher-type",
                           "expert-tensor-parallel-size",
                           "tp-comm-overlap",
                           "cpu-offloading",
                           "use-precision-aware-optimizer",
                           "account-for-loss-in-pipeline-split",
                           "window-size",
                           "hybrid-override-pattern",
                           "micro-batch-size",
                           "overlap-grad-reduce"}) {
    ASSERT_TRUE(find_argument(name)) << name;
    EXPECT_NE(find_argument(name)->effect, Effect::nothing) << name;
  }
}

TEST(MegatronArguments, are_completed_as_python_does) {
  EXPECT_EQ(megatron::complete_argument("tensor-model-parallel")->name,
            "tensor-model-parallel-size");
  EXPECT_EQ(megatron::complete_argument("moe-router"), nullptr);  // several
  // ArgumentGroupFactory leaves fp8_param out.
  EXPECT_EQ(megatron::complete_argument("fp8-param")->name, "fp8-param-gather");
  EXPECT_TRUE(find_argument("fp8-param")->is_field);
  EXPECT_FALSE(megatron::is_of_today(*find_argument("num-moe-experts")));
}

// Arguments of forks are of no month, and Python completes no name to them.
TEST(MegatronArguments, of_forks_are_known) {
  for (const char* name : {"use-mpi", "rank", "attention-head-type", "reuse-fp32-param"}) {
    const Argument* argument = find_argument(name);
    ASSERT_TRUE(argument) << name;
    EXPECT_TRUE(argument->from.empty());
    EXPECT_FALSE(megatron::is_of_today(*argument));
    EXPECT_EQ(argument->goes, megatron::Goes::plan);
  }
  EXPECT_EQ(megatron::complete_argument("reuse-fp32"), nullptr);
}

TEST(MegatronArguments, may_have_values_that_change_nothing) {
  EXPECT_TRUE(megatron::is_harmless(*find_argument("activation-offload-fraction"), "1.0"));
  EXPECT_FALSE(megatron::is_harmless(*find_argument("activation-offload-fraction"), "0.5"));
}

TEST(MegatronArguments, may_be_known_longer_than_they_may_be_used) {
  EXPECT_EQ(find_argument("checkpoint-activations")->ends, "2023-04");
  EXPECT_EQ(find_argument("batch-size")->ends, "2020-11");
  for (const Argument& argument : megatron::arguments()) {
    EXPECT_LE(argument.ends, argument.to) << argument.name;
    EXPECT_LE(argument.from, argument.ends) << argument.name;
  }
}

}  // namespace
}  // namespace pipewright::test
