#include <gtest/gtest.h>

#include "error_of.hpp"
#include "experiment/readers.hpp"

namespace pipewright {
namespace {

config::Value value(std::string_view yaml) { return config::parse(yaml, "x.yaml"); }

TEST(ReadAdapters, a_rank_or_a_map_with_the_adapters_of_experts) {
  EXPECT_EQ(read_adapters(value("0")).rank, 0);
  EXPECT_EQ(read_adapters(value("16")).rank, 16);
  const Adapters adapters = read_adapters(value("{rank: 8, experts: each}"));
  EXPECT_EQ(adapters.rank, 8);
  EXPECT_EQ(adapters.experts, ExpertAdapters::each);
  EXPECT_EQ(read_adapters(value("{rank: 8}")).experts, ExpertAdapters::none);
  EXPECT_NE(test::error_of([] { read_adapters(value("{experts: each}")); }).find("'rank'"),
            std::string::npos);
}

TEST(ReadFrozen, a_word_or_a_list) {
  EXPECT_FALSE(read_frozen(value("none")).vision);
  EXPECT_TRUE(read_frozen(value("vision")).vision);
  const FrozenParts both = read_frozen(value("[vision, text]"));
  EXPECT_TRUE(both.vision && both.text);
  EXPECT_NE(test::error_of([] { read_frozen(value("tower")); }).find("x.yaml:1:1"),
            std::string::npos);
}

TEST(ReadOffload, a_word_a_list_or_modules) {
  EXPECT_FALSE(read_offload(value("none")).any());
  const Offload both = read_offload(value("[optimizer, activations]"));
  EXPECT_TRUE(both.optimizer && both.activations);
  const Offload modules = read_offload(value("{modules: [core_attn, attn_proj], optimizer: true}"));
  EXPECT_TRUE(modules.optimizer && modules.from_passes());
  EXPECT_EQ(modules.inputs.count(), 2u);
  EXPECT_FALSE(modules.activations);
}

TEST(ReadOffload, modules_are_a_list_of_known_ones) {
  for (const char* yaml : {"{modules: []}", "{modules: core_attn}", "{optimizer: true}",
                           "{modules: [core]}", "{modules: [attn_proj]}"})
    EXPECT_NE(test::error_of([&] { read_offload(value(yaml)); }), "no error") << yaml;
}

}  // namespace
}  // namespace pipewright
