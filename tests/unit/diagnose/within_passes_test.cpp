#include "diagnose/within_passes.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using Kind = RunSliceKind;

RunSlice part_slice(Kind kind, int64_t start, int64_t end) {
  return {.kind = kind, .start = milliseconds(start), .end = milliseconds(end)};
}

/// From 10 to 30 ms, of which it computes a part.
diagnose::PassSpan whole_pass(OperationKind kind, int64_t computing) {
  return {.pass = {.kind = kind},
          .start = milliseconds(10),
          .end = milliseconds(30),
          .computing = milliseconds(computing)};
}

Breakdown exposed(const std::vector<RunSlice>& slices, const diagnose::PassSpan& in,
                  bool halved = false) {
  diagnose::GroupsOfRank groups;
  for (const RunSlice& one : slices) groups.add(one);
  groups.sort();
  return groups.exposed_in(in, halved);
}

TEST(WithinPasses, each_group_has_its_traffic_and_the_pass_the_sum) {
  Breakdown found =
      exposed({part_slice(Kind::expert_group, 22, 26), part_slice(Kind::tensor_group, 10, 12),
               part_slice(Kind::context_group, 15, 18)},
              whole_pass(OperationKind::forward, 11));
  EXPECT_EQ(found[Traffic::tensor], milliseconds(2));
  EXPECT_EQ(found[Traffic::context], milliseconds(3));
  EXPECT_EQ(found[Traffic::expert], milliseconds(4));
  EXPECT_EQ(found[ComputeKind::forward], milliseconds(9));
  EXPECT_EQ(found.total(), milliseconds(18));
}

TEST(WithinPasses, no_more_is_exposed_than_the_pass_does_not_compute) {
  Breakdown found =
      exposed({part_slice(Kind::tensor_group, 10, 15), part_slice(Kind::expert_group, 15, 25)},
              whole_pass(OperationKind::forward, 13));
  EXPECT_EQ(found[Traffic::tensor], milliseconds(5));
  EXPECT_EQ(found[Traffic::expert], milliseconds(2));  // of 7 ms without compute
  EXPECT_EQ(
      exposed({part_slice(Kind::tensor_group, 10, 15)}, whole_pass(OperationKind::forward, 20)),
      Breakdown{});
}

// Pieces take 10 ms of the pass, and 4 ms are waited for something else.
TEST(WithinPasses, what_goes_beside_pieces_is_not_exposed) {
  diagnose::GroupsOfRank groups;
  const RunSlice keys = part_slice(Kind::context_group, 10, 14),
                 tokens = part_slice(Kind::expert_group, 17, 22);
  for (const RunSlice* slice : {&keys, &tokens}) groups.add(*slice);
  groups.add_piece(part_slice(Kind::forward, 10, 18));
  groups.add_piece(part_slice(Kind::forward, 26, 28));
  groups.sort();
  Breakdown found = groups.exposed_in(whole_pass(OperationKind::forward, 10), false);
  EXPECT_EQ(found[Traffic::context], Time{});
  EXPECT_EQ(found[Traffic::expert], milliseconds(4));  // from 18 to 22
}

TEST(WithinPasses, what_stands_outside_of_the_pass_is_not_its) {
  Breakdown found =
      exposed({part_slice(Kind::tensor_group, 2, 9), part_slice(Kind::tensor_group, 28, 35),
               part_slice(Kind::tensor_group, 35, 40)},
              whole_pass(OperationKind::forward, 0));
  EXPECT_EQ(found[Traffic::tensor], milliseconds(2));  // from 28 to 30
  EXPECT_EQ(found[ComputeKind::forward], milliseconds(2));
}

TEST(WithinPasses, backwards_are_halves_where_weight_gradients_stand_apart) {
  const std::vector<RunSlice> slices = {part_slice(Kind::tensor_group, 10, 14)};
  const auto compute_of = [&](OperationKind kind, bool halved, ComputeKind compute) {
    return exposed(slices, whole_pass(kind, 0), halved)[compute];
  };
  const Time all = milliseconds(4);
  EXPECT_EQ(compute_of(OperationKind::backward, false, ComputeKind::backward), all);
  EXPECT_EQ(compute_of(OperationKind::backward, true, ComputeKind::input_gradient), all);
  EXPECT_EQ(compute_of(OperationKind::weight_gradient, true, ComputeKind::weight_gradient), all);
  EXPECT_EQ(compute_of(OperationKind::forward, true, ComputeKind::forward), all);
}

}  // namespace
}  // namespace pipewright::test
