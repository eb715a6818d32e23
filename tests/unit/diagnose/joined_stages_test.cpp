#include "diagnose/joined_stages.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using enum OperationKind;

/// A sum of a stage on the ranks of these pipeline places, one slice on each.
struct Sum {
  int32_t stage = 0;
  int64_t bytes = 0;
  int32_t devices = 0;
  std::vector<uint32_t> on;
};

RunSlice slice_of(const Sum& sum, uint32_t rank) {
  return {.kind = RunSliceKind::data_sum,
          .rank = rank,
          .stage = sum.stage,
          .bytes = sum.bytes,
          .devices = sum.devices};
}

/// One rank for each place of a pipeline.
RunTrace trace_of_sums(int32_t ranks, const std::vector<Sum>& sums) {
  RunTrace trace;
  for (int32_t pipeline = 0; pipeline < ranks; ++pipeline)
    trace.ranks.push_back({.pipeline = pipeline});
  for (const Sum& sum : sums)
    for (const uint32_t rank : sum.on) trace.slices.push_back(slice_of(sum, rank));
  return trace;
}

OperationKind kind_in(const diagnose::Placement& placement, const std::vector<Sum>& sums,
                      const Sum& asked) {
  const RunTrace trace = trace_of_sums(static_cast<int32_t>(placement.size()), sums);
  return diagnose::JoinedStages(trace, placement).kind_of(slice_of(asked, asked.on[0]));
}

TEST(JoinedStages, a_sum_on_ranks_that_hold_its_stage_is_of_gradients) {
  const Sum second_chunk{.stage = 2, .bytes = 100, .devices = 2, .on = {0}};
  EXPECT_EQ(kind_in({{0, 2}, {1, 3}}, {second_chunk}, second_chunk), grads_reduce_scatter);
  // In a bidirectional pipeline two ranks hold each stage.
  const Sum twice{.stage = 0, .bytes = 100, .devices = 2, .on = {0, 1}};
  EXPECT_EQ(kind_in({{0, 1}, {1, 0}}, {twice}, twice), grads_reduce_scatter);
}

TEST(JoinedStages, an_embedding_joins_some_of_the_stages) {
  const diagnose::Placement placement = {{0}, {1}, {2}};
  const Sum embedding{.stage = 0, .bytes = 50, .devices = 2, .on = {0, 2}};
  EXPECT_EQ(kind_in(placement, {embedding}, embedding), embedding_grads_all_reduce);
  const Sum of_replicas{.stage = 0, .bytes = 50, .devices = 4, .on = {0, 2}};
  EXPECT_EQ(kind_in(placement, {of_replicas}, of_replicas), embedding_grads_all_reduce);
}

// Of two stages without replicas it could be either, and counts as their embedding.
TEST(JoinedStages, a_norm_joins_all_stages) {
  const Sum of_three{.stage = 0, .bytes = 4, .devices = 3, .on = {0, 1, 2}};
  EXPECT_EQ(kind_in({{0}, {1}, {2}}, {of_three}, of_three), clip);
  const Sum of_two{.stage = 0, .bytes = 4, .devices = 2, .on = {0, 1}};
  EXPECT_EQ(kind_in({{0}, {1}}, {of_two}, of_two), embedding_grads_all_reduce);
  const Sum of_replicas{.stage = 0, .bytes = 4, .devices = 4, .on = {0, 1}};
  EXPECT_EQ(kind_in({{0}, {1}}, {of_replicas}, of_replicas), clip);
}

TEST(JoinedStages, sums_of_one_stage_are_told_apart_by_their_bytes) {
  const diagnose::Placement placement = {{0}, {1}, {2}};
  const Sum gradients{.stage = 0, .bytes = 100, .devices = 2, .on = {0}};
  const Sum embedding{.stage = 0, .bytes = 50, .devices = 2, .on = {0, 2}};
  EXPECT_EQ(kind_in(placement, {gradients, embedding}, gradients), grads_reduce_scatter);
  EXPECT_EQ(kind_in(placement, {gradients, embedding}, embedding), embedding_grads_all_reduce);
}

}  // namespace
}  // namespace pipewright::test
