#include "convert/megatron/recompute.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

config::Value recompute_of(const std::string& text) {
  FlagsOf given(text);
  return megatron::read_recompute(*given.flags);
}

TEST(MegatronRecompute, has_had_three_sets_of_names) {
  EXPECT_EQ(recompute_of("--checkpoint-activations").text, "full");
  EXPECT_EQ(recompute_of("--activations-checkpoint-method uniform").text, "full");
  EXPECT_EQ(recompute_of("--recompute-granularity full --recompute-method uniform").text, "full");
  EXPECT_EQ(recompute_of("--recompute-activations").text, "selective");
  EXPECT_TRUE(recompute_of("").is_null());
}

TEST(MegatronRecompute, blocks_are_the_first_layers) {
  const config::Value value = recompute_of(
      "--recompute-granularity full --recompute-method block --recompute-num-layers 3");
  EXPECT_EQ(at(value, {"layers"}), "3");
}

TEST(MegatronRecompute, modules_are_parts_of_a_block) {
  const config::Value value =
      recompute_of("--recompute-granularity selective --recompute-modules core_attn layernorm");
  ASSERT_EQ(value.find("modules")->items.size(), 2u);
  EXPECT_EQ(value.find("modules")->items[1].text, "layernorm");
}

TEST(MegatronRecompute, modules_that_the_model_lacks_run_nothing_again) {
  EXPECT_TRUE(
      recompute_of("--recompute-granularity selective --recompute-modules moe_act").is_null());
  const config::Value value = recompute_of(
      "--num-experts 8 --recompute-granularity selective --recompute-modules moe_act mlp");
  ASSERT_EQ(value.find("modules")->items.size(), 1u);
  EXPECT_EQ(value.find("modules")->items[0].text, "moe_act");
}

// A recipe that leaves the model to its class says nothing of experts.
TEST(MegatronRecompute, modules_may_be_those_of_a_model_that_is_given) {
  FlagsOf given("--recompute-granularity selective --recompute-modules core_attn moe mlp");
  const config::Value value = megatron::read_recompute(
      *given.flags, config::parse("{experts: {count: 8, active: 2}}", "t.yaml"));
  ASSERT_EQ(value.find("modules")->items.size(), 2u);
  EXPECT_EQ(value.find("modules")->items[1].text, "moe");
}

TEST(MegatronRecompute, the_core_of_attention_alone_is_what_selective_is) {
  EXPECT_EQ(
      recompute_of("--recompute-granularity selective --recompute-modules core_attn moe_act").text,
      "selective");
}

TEST(MegatronRecompute, dense_layers_are_those_that_the_pattern_leaves) {
  const auto has_mlp = [](const std::string& layers) {
    return !recompute_of(
                "--num-experts 8 --recompute-granularity selective --recompute-modules mlp" +
                layers)
                .is_null();
  };
  EXPECT_FALSE(has_mlp(""));
  EXPECT_FALSE(has_mlp(" --moe-layer-freq 1"));
  EXPECT_FALSE(has_mlp(" --moe-layer-freq '([1]*10)'"));
  EXPECT_TRUE(has_mlp(" --moe-layer-freq 2"));
  EXPECT_TRUE(has_mlp(" --moe-layer-freq '([0]*3+[1]*58)'"));
}

TEST(MegatronRecompute, modules_that_are_not_modelled_are_refused_by_name) {
  EXPECT_NE(error_of([] {
              recompute_of("--recompute-granularity selective --recompute-modules mhc");
            }).find("mhc cannot be said"),
            std::string::npos);
}

TEST(MegatronRecompute, experts_had_a_flag_of_their_own) {
  const config::Value value = recompute_of("--num-experts 8 --moe-layer-recompute");
  ASSERT_EQ(value.find("modules")->items.size(), 1u);
  EXPECT_EQ(value.find("modules")->items[0].text, "moe");
}

}  // namespace
}  // namespace pipewright::test
