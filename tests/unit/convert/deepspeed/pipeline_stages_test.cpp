#include "convert/deepspeed/pipeline_stages.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace pipewright::test {
namespace {

using deepspeed::PipelineSizes;
using Blocks = std::vector<int>;

const PipelineSizes small{.layers = 6,
                          .hidden = 4,
                          .ffn = 16,
                          .heads = 2,
                          .kv_heads = 2,
                          .vocabulary = 100,
                          .positions = 10};

Blocks cut(const std::string& method, int stages, const PipelineSizes& sizes = small) {
  return deepspeed::stages_of(deepspeed::megatron_pipeline(sizes), method, stages).value();
}

// 11 modules in 4 stages of 3, 3, 3 and 2: two stand before the blocks, three behind them.
TEST(PipelineStages, of_uniform_modules_have_as_many_modules) {
  EXPECT_EQ(cut("uniform", 4), (Blocks{1, 3, 2, 0}));
  EXPECT_EQ(deepspeed::stages_of(deepspeed::neox_pipeline(small), "uniform", 4).value(),
            (Blocks{1, 3, 2, 0}));
}

// Where 6 layers do not divide by 4 the last stages have fewer.
TEST(PipelineStages, of_a_type_differ_by_one_layer_at_most) {
  EXPECT_EQ(cut("type:transformer", 4), (Blocks{2, 2, 1, 1}));
  EXPECT_EQ(cut("type:transformer", 3), (Blocks{2, 2, 2}));
  // The embedding and its copy at the end count too: 8 / 4.
  EXPECT_EQ(cut("type:transformer|embedding", 4), (Blocks{1, 2, 2, 1}));
}

// A block has 4 x 12 + 4 x 4 weights of attention, 4 x 16 x 2 of its MLP, 12 + 16 + 8 biases and 16
// of norms: 244. The embedding has 440, and so has its copy; the norm before it has 8. Stages of
// 684, 488, 488 and 692 differ by 204; those of 440, 732, 732 and 448 by 292.
TEST(PipelineStages, by_parameters_weigh_the_embedding) {
  const auto modules = deepspeed::megatron_pipeline(small);
  EXPECT_EQ(modules[2].parameters, 244);
  EXPECT_EQ(modules[1].parameters, 440);
  EXPECT_EQ(cut("parameters", 4), (Blocks{1, 2, 2, 1}));
}

TEST(PipelineStages, hold_every_block_once) {
  for (const char* method : {"uniform", "parameters", "type:transformer", "type:norm"})
    for (int stages = 1; stages <= 12; ++stages) {
      const Blocks blocks = cut(method, stages);
      EXPECT_EQ(std::accumulate(blocks.begin(), blocks.end(), 0), 6) << method << stages;
      EXPECT_EQ(blocks.size(), static_cast<size_t>(stages)) << method;
    }
}

TEST(PipelineStages, need_a_method_of_deepspeed) {
  const auto modules = deepspeed::megatron_pipeline(small);
  EXPECT_FALSE(deepspeed::stages_of(modules, "profile", 2));
  EXPECT_FALSE(deepspeed::stages_of(modules, "type:(", 2));
}

TEST(PipelineStages, are_a_layout) { EXPECT_EQ(deepspeed::layout_of({2, 0, 1}), "Ett||tL"); }

// Repeated groups take exponential time where nothing fits.
TEST(PipelineStages, types_are_short_and_repeat_no_group) {
  const auto layers = deepspeed::neox_pipeline(small);
  EXPECT_TRUE(deepspeed::stages_of(layers, "type:(parallel.*layer|mlp)", 4));
  EXPECT_FALSE(deepspeed::stages_of(layers, "type:(.*)*(.*)*(.*)*zz", 4));
  EXPECT_FALSE(deepspeed::stages_of(layers, "type:.*.*.*.*.*zz", 4));
  EXPECT_FALSE(deepspeed::stages_of(layers, "type:" + std::string(100'000, '('), 4));
}

}  // namespace
}  // namespace pipewright::test
