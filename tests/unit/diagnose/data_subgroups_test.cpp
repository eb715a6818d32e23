#include "diagnose/data_subgroups.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using Kind = RunSliceKind;

struct Collective {
  Kind kind;
  int32_t devices;
  std::vector<uint32_t> ranks;
  int64_t start = 0;
};

RunSlice slice_of(const Collective& one, uint32_t rank) {
  return {.kind = one.kind,
          .rank = rank,
          .bytes = one.devices,
          .devices = one.devices,
          .start = milliseconds(one.start),
          .end = milliseconds(one.start + 1)};
}

/// Four data ranks, each with the collectives that name it.
RunTrace trace_of_collectives(const std::vector<Collective>& all) {
  RunTrace trace;
  for (int32_t data = 0; data < 4; ++data) trace.ranks.push_back({.data = data});
  for (const Collective& one : all)
    for (const uint32_t rank : one.ranks) trace.slices.push_back(slice_of(one, rank));
  return trace;
}

/// The groups of the four ranks in a collective of this kind.
std::vector<int32_t> groups(const std::vector<Collective>& all, Kind kind, int32_t devices) {
  const RunTrace trace = trace_of_collectives(all);
  const diagnose::RunGroups places(trace);
  const diagnose::DataSubgroups found(trace, places);
  std::vector<int32_t> numbers;
  for (uint32_t rank = 0; rank < 4; ++rank)
    numbers.push_back(found.group_of(slice_of({kind, devices, {}}, rank)));
  return numbers;
}

TEST(DataSubgroups, a_collective_of_all_ranks_is_of_no_group) {
  EXPECT_EQ(groups({{Kind::data_sum, 4, {0, 1, 2, 3}}}, Kind::data_sum, 4),
            (std::vector<int32_t>(4, -1)));
}

TEST(DataSubgroups, those_that_begin_at_once_are_together) {
  const auto rows =
      groups({{Kind::data_sum, 2, {0, 1}, 5}, {Kind::data_sum, 2, {2, 3}, 9}}, Kind::data_sum, 2);
  EXPECT_EQ(rows[0], rows[1]);
  EXPECT_EQ(rows[2], rows[3]);
  EXPECT_NE(rows[0], rows[2]);
  const auto columns =
      groups({{Kind::data_sum, 2, {0, 2}, 5}, {Kind::data_sum, 2, {1, 3}, 9}}, Kind::data_sum, 2);
  EXPECT_EQ(columns[0], columns[2]);
  EXPECT_EQ(columns[1], columns[3]);
  EXPECT_NE(columns[0], columns[1]);
}

TEST(DataSubgroups, where_all_begin_at_once_weights_are_gathered_in_a_row) {
  const std::vector<Collective> all = {{Kind::data_gather, 2, {0, 1, 2, 3}},
                                       {Kind::data_sum, 2, {0, 1, 2, 3}}};
  const auto gathers = groups(all, Kind::data_gather, 2), sums = groups(all, Kind::data_sum, 2);
  EXPECT_EQ(gathers[0], gathers[1]);
  EXPECT_NE(gathers[0], gathers[2]);
  EXPECT_EQ(sums[0], sums[2]);
  EXPECT_NE(sums[0], sums[1]);
}

// Rows of 512 data ranks that begin one after the other.
TEST(DataSubgroups, large_groups_are_told_by_their_moments) {
  RunTrace trace;
  for (int32_t data = 0; data < 2048; ++data) trace.ranks.push_back({.data = data});
  for (int64_t round = 0; round < 16; ++round)
    for (uint32_t rank = 0; rank < 2048; ++rank)
      trace.slices.push_back(
          slice_of({Kind::data_sum, 512, {}, 10 * round + int64_t{rank} / 512}, rank));
  const diagnose::RunGroups places(trace);
  const diagnose::DataSubgroups found(trace, places);
  const auto group = [&](uint32_t rank) {
    return found.group_of(slice_of({Kind::data_sum, 512, {}}, rank));
  };
  EXPECT_EQ(group(0), group(511));
  EXPECT_NE(group(0), group(512));
}

}  // namespace
}  // namespace pipewright::test
