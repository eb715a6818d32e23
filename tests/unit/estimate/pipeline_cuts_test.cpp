#include "estimate/pipeline_cuts.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

LayerTimes times(int64_t forward, int64_t backward, int64_t input) {
  return {microseconds(forward), microseconds(backward), microseconds(input), {}, {}};
}

Layer block(int64_t stash) {
  Layer layer;
  layer.stash = Bytes{stash};
  return layer;
}

/// Four blocks on devices that are alike, the last one three times as dear as the others.
LayerTable four_blocks() {
  LayerTable table{.layers = {block(1), block(2), block(4), block(8)},
                   .times = {},
                   .kinds = {},
                   .prices = {},
                   .machine = Machine(nullptr),
                   .state = {},
                   .boundary = {},
                   .experiment = {}};
  table.kinds.push_back({.first = 0,
                         .times = {times(1, 2, 1), times(1, 2, 1), times(1, 2, 1), times(3, 6, 3)},
                         .misfit = ""});
  return table;
}

TEST(PipelineCuts, a_stage_takes_what_its_layers_take_and_keeps_what_they_keep) {
  const LayerTable table = four_blocks();
  PipelineCuts cuts(table);
  const PipelineCut& cut = cuts.of({.pipeline = {}, .ranks = 2});
  EXPECT_EQ(cut.partition.starts, (std::vector<int>{0, 2, 4}));
  ASSERT_EQ(cut.stages.size(), 2u);
  EXPECT_EQ(cut.stages[0].both, microseconds(6));
  EXPECT_EQ(cut.stages[1].both, microseconds(12));
  EXPECT_EQ(cut.stages[1].backward, microseconds(8));
  EXPECT_EQ(cut.stages[1].weight, microseconds(4));
  EXPECT_EQ(cut.stages[1].stash, Bytes{12});
  EXPECT_EQ(cut.largest, microseconds(12));
}

TEST(PipelineCuts, a_balanced_cut_gives_the_dear_layer_a_stage_of_its_own) {
  const LayerTable table = four_blocks();
  PipelineCuts cuts(table);
  const PipelineCut& cut = cuts.of({.pipeline = {}, .ranks = 2, .balanced = true});
  EXPECT_EQ(cut.partition.starts, (std::vector<int>{0, 3, 4}));
  EXPECT_EQ(cut.largest, microseconds(9));
}

TEST(PipelineCuts, a_collective_at_the_end_is_left_out_of_what_is_certain) {
  LayerTable table = four_blocks();
  table.kinds[0].times[1].forward_tail = microseconds(1);
  table.kinds[0].times[0].backward_tail = microseconds(2);
  PipelineCuts cuts(table);
  const PipelineCut& cut = cuts.of({.pipeline = {}, .ranks = 2});
  EXPECT_EQ(cut.stages[0].certain, microseconds(6 - 1 - 2));
  EXPECT_EQ(cut.stages[0].certain_forward, microseconds(2 - 1));
  EXPECT_EQ(cut.stages[0].certain_input, microseconds(2 - 2));
}

TEST(PipelineCuts, devices_of_a_rank_stand_one_after_the_other) {
  LayerTable table = four_blocks();
  table.tensor = 2;
  const PipelineShape shape{.pipeline = {}, .ranks = 2, .data = 2};
  EXPECT_EQ(devices_of(table, shape, 1), (std::vector<int32_t>{4, 5, 6, 7}));
}

}  // namespace
}  // namespace pipewright
