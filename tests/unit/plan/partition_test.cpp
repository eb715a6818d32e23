#include "plan/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "experiment/readers.hpp"

namespace pipewright {
namespace {

using test::error_of;
using testing::ElementsAre;

/// Embedding, `blocks` blocks, modules that predict further tokens, head.
std::vector<Layer> layers(int blocks, int predictions = 0) {
  std::vector<Layer> all(static_cast<size_t>(blocks + predictions) + 2);
  for (Layer& layer : all) layer.kind = LayerKind::block;
  for (size_t i = 0; i < static_cast<size_t>(predictions); ++i)
    all[all.size() - 2 - i].kind = LayerKind::prediction;
  all.front().kind = LayerKind::embedding;
  all.back().kind = LayerKind::head;
  return all;
}

Partition cut(const char* text, const std::vector<Layer>& layers, int stages,
              std::vector<Time> costs = {}) {
  return make_partition(read_partition(config::parse(text, "x.yaml")), {"x.yaml", 1, 1}, layers,
                        std::vector<std::vector<Time>>{std::move(costs)}, stages);
}

Partition read(const char* text, int blocks, int stages, std::vector<Time> costs = {}) {
  return cut(text, layers(blocks), stages, std::move(costs));
}

std::vector<Time> times(std::initializer_list<int64_t> ps) {
  std::vector<Time> costs;
  for (const int64_t t : ps) costs.push_back(picoseconds(t));
  return costs;
}

TEST(Partition, even_puts_the_ends_with_the_first_and_last_stage) {
  // 8 blocks on 4 stages: embedding + 2, 2, 2, 2 + head.
  EXPECT_THAT(read("even", 8, 4).starts, ElementsAre(0, 3, 5, 7, 10));
}

TEST(Partition, a_tower_stands_with_the_embedding) {
  // Four layers of a tower, embedding + 2, 2 + head.
  std::vector<Layer> all = layers(4);
  Layer tower;
  tower.kind = LayerKind::tower;
  all.insert(all.begin(), 4, tower);
  EXPECT_THAT(cut("even", all, 2).starts, ElementsAre(0, 7, 10));
  EXPECT_THAT(cut("[1, 3]", all, 2).starts, ElementsAre(0, 6, 10));
  EXPECT_EQ(block_count(all), 4);
}

TEST(Partition, predictions_stand_with_the_head_where_nothing_is_said) {
  EXPECT_THAT(cut("even", layers(4, 1), 2).starts, ElementsAre(0, 3, 7));
  EXPECT_THAT(cut("[2, 2, 0]", layers(4, 1), 3).starts, ElementsAre(0, 3, 5, 7));
}

TEST(Partition, a_layout_places_predictions_and_the_loss) {
  EXPECT_THAT(cut("Ett|tt|m|L", layers(4, 1), 4).starts, ElementsAre(0, 3, 5, 6, 7));
  EXPECT_THAT(cut("Et*3|tm|L", layers(4, 1), 3).starts, ElementsAre(0, 4, 6, 7));
  EXPECT_THAT(cut("Ett|tt|L", layers(4), 3).starts, ElementsAre(0, 3, 5, 6));
}

TEST(Partition, a_layout_has_all_layers_of_the_model) {
  EXPECT_EQ(error_of([] { cut("Ett|t|mL", layers(4, 1), 3); }),
            "x.yaml:1:1: error: partition adds up to 3 layers of 4");
  EXPECT_EQ(error_of([] { cut("Ett|tt|mmL", layers(4, 1), 3); }),
            "x.yaml:1:1: error: the model has 1 m (predict: 1), the layout 2");
  EXPECT_EQ(error_of([] { cut("Ett|tt|L", layers(4, 1), 3); }),
            "x.yaml:1:1: error: the model has 1 m (predict: 1), the layout 0");
  EXPECT_EQ(error_of([] { cut("Ett|tt|L", layers(4), 2); }),
            "x.yaml:1:1: error: partition has 3 entries for 2 stages");
}

TEST(Partition, even_refuses_a_count_that_does_not_divide) {
  EXPECT_EQ(error_of([] { read("even", 7, 2); }),
            "x.yaml:1:1: error: 7 layers do not divide into 2 stages; give partition: balanced or "
            "layers per stage");
}

// No partition cuts fewer layers than stages.
TEST(Partition, even_refuses_more_stages_than_layers) {
  EXPECT_EQ(error_of([] { read("even", 7, 8); }),
            "x.yaml:1:1: error: 7 layers are too few for 8 stages; give at most 7");
}

TEST(Partition, layers_without_ends_are_all_counted) {
  std::vector<Layer> plain(6);
  EXPECT_THAT(even_partition(plain, 3, {}).starts, ElementsAre(0, 2, 4, 6));
}

TEST(Partition, a_list_counts_blocks_and_may_leave_an_end_alone) {
  const Partition partition = read("[2, 2, 0]", 4, 3);
  EXPECT_THAT(partition.starts, ElementsAre(0, 3, 5, 6));
  EXPECT_EQ(partition.stage(layers(4), 2).size(), 1u);  // the head
  EXPECT_THAT(block_starts(partition, layers(4)), ElementsAre(0, 2, 4));
}

TEST(Partition, a_list_must_have_one_entry_a_stage_and_the_right_sum) {
  EXPECT_EQ(error_of([] { read("[2, 2]", 4, 3); }),
            "x.yaml:1:1: error: partition has 2 entries for 3 stages");
  EXPECT_EQ(error_of([] { read("[2, 1]", 4, 2); }),
            "x.yaml:1:1: error: partition adds up to 3 layers of 4");
}

TEST(Partition, balanced_has_the_least_bottleneck) {
  // 9 | 2 2 2 2: no cut does better than 9; and of 1 1 1 1 5 in two, 4 | 5.
  EXPECT_THAT(balanced_partition(times({9, 2, 2, 2, 2}), 2, {}).starts, ElementsAre(0, 1, 5));
  EXPECT_THAT(balanced_partition(times({1, 1, 1, 1, 5}), 2, {}).starts, ElementsAre(0, 4, 5));
}

TEST(Partition, balanced_evens_out_what_the_bottleneck_leaves_free) {
  // Twelve like layers on five stages: the bottleneck is 3 and no stage need have fewer than 2.
  const Partition partition = balanced_partition(std::vector<Time>(12, picoseconds(1)), 5, {});
  for (int k = 0; k < 5; ++k) EXPECT_GE(partition.starts[k + 1] - partition.starts[k], 2) << k;
}

TEST(Partition, balanced_refuses_fewer_layers_than_stages) {
  EXPECT_EQ(error_of([] {
              balanced_partition(times({1, 1}), 3, {});
            }),
            "error: 2 layers are too few for 3 stages");
}

// The second device is twice as fast: 2 + 2 against 1 + 1 + 1 + 1.
TEST(Partition, balanced_gives_a_faster_device_more) {
  const std::vector<std::vector<Time>> costs = {times({2, 2, 2, 2, 2, 2}),
                                                times({1, 1, 1, 1, 1, 1})};
  EXPECT_THAT(balanced_partition(costs, {}).starts, ElementsAre(0, 2, 6));
}

}  // namespace
}  // namespace pipewright
