#include "convert/megatron_model.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

const std::string small = "--num-layers 8 --hidden-size 1024 --num-attention-heads 16 ";

struct Model {
  std::vector<std::string> assumed;
  config::Value value;
  explicit Model(const std::string& text) {
    MegatronFlags flags(small + text, "run.sh");
    value = megatron_model(flags, {.tensor = 2, .layers = 8}, assumed);
  }
  std::string operator[](const char* key) const { return value.find(key)->text; }
};

// 50257 words, to a multiple of 128 on each of two ranks; a gated layer is two thirds as wide.
TEST(MegatronModel, defaults_are_those_of_megatron) {
  const Model model("--swiglu");
  EXPECT_EQ(model["vocabulary"], "50432");
  EXPECT_EQ(model["ffn"], "2688");
  EXPECT_EQ(model["positions"], "learned");
  EXPECT_EQ(model["norm"], "layernorm");
  EXPECT_EQ(model.assumed.size(), 1u);
}

TEST(MegatronModel, the_first_layers_may_be_dense) {
  const Model model("--num-experts 4 --moe-layer-freq ([0]*3+[1]*5)");
  EXPECT_EQ(model.value.find("experts")->find("dense")->text, "3");
}

TEST(MegatronModel, an_unknown_norm_is_refused) {
  const std::string error = error_of([] { Model("--normalization BatchNorm"); });
  EXPECT_NE(error.find("is LayerNorm or RMSNorm, not 'BatchNorm'"), std::string::npos) << error;
}

}  // namespace
}  // namespace pipewright::test
