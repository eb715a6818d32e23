#include "convert/primus/presets.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::primus {
namespace {

job::Source presets() {
  job::Source source;
  source.further = {{"big.yaml", "extends: [base.yaml]\nnum_layers: ${L:8}\n"},
                    {"base.yaml", "num_layers: 4\nhidden_size: 256\n"},
                    {"old.yaml", "bases: [big.yaml, base.yaml]\nincludes: [more.yaml]\n"},
                    {"more.yaml", "num_layers: 1\nswiglu: true\n"},
                    {"loop.yaml", "extends: [loop.yaml]\n"},
                    {"torn.yaml", "extends: [gone.yaml]\n"}};
  return source;
}

config::Value read(const std::string& name) {
  const job::Source source = presets();
  return read_preset(source, config::parse(name, "exp.yaml"), "models/megatron");
}

TEST(PrimusPresets, a_preset_stands_over_those_that_it_extends) {
  const config::Value big = read("big");
  EXPECT_EQ(big.find("num_layers")->text, "8");
  EXPECT_EQ(big.find("hidden_size")->text, "256");
  EXPECT_FALSE(big.find("extends"));
}

TEST(PrimusPresets, of_bases_and_what_is_included_the_first_one_holds) {
  const config::Value old = read("old");
  EXPECT_EQ(old.find("num_layers")->text, "8");
  EXPECT_EQ(old.find("hidden_size")->text, "256");
  EXPECT_EQ(old.find("swiglu")->text, "true");
  EXPECT_EQ(old.entries.size(), 3u);
}

TEST(PrimusPresets, one_that_is_not_there_is_named_where_it_is_asked_for) {
  EXPECT_EQ(test::error_of([] { read("torn.yaml"); }),
            "torn.yaml:1:11: error: 'gone.yaml' is packaged with Primus: give it as a further FILE "
            "(primus/configs/models/megatron/gone.yaml)");
  EXPECT_NE(test::error_of([] { read("loop.yaml"); }).find("more than 16 deep"), std::string::npos);
}

TEST(PrimusPresets, the_trainer_is_known) {
  EXPECT_EQ(trainer_preset().find("use_distributed_optimizer")->text, "true");
  EXPECT_FALSE(
      has_preset(presets(), config::parse("pre_trainer.yaml", "exp.yaml"), "modules/megatron"));
  job::Source checkout;
  checkout.read = [](const std::string& path) -> std::optional<std::string> {
    if (path == "primus/configs/modules/megatron/pre_trainer.yaml") return "bf16: false";
    return std::nullopt;
  };
  EXPECT_TRUE(
      has_preset(checkout, config::parse("pre_trainer.yaml", "exp.yaml"), "modules/megatron"));
}

}  // namespace
}  // namespace pipewright::primus
