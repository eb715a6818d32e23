#include "interop/nccl_groups.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using interop::NcclGroups;
using interop::NcclPayload;

NcclPayload made(uint64_t communicator, int ranks, int place) {
  return {.communicator = communicator, .ranks = ranks, .place = place};
}

/// Processes 10 to 13: one communicator of all, and one each of two.
NcclGroups four() {
  NcclGroups groups;
  for (int i = 0; i < 4; ++i) {
    groups.add(10 + i, made(1, 4, 3 - i));
    groups.add(10 + i, made(i < 2 ? 2 : 3, 2, i % 2));
  }
  return groups;
}

TEST(NcclGroups, places_in_the_communicator_of_all_number_ranks) {
  NcclGroups groups = four();
  groups.number({}, {10, 11, 12, 13});
  EXPECT_EQ(groups.rank_of(10), 3);
  EXPECT_EQ(groups.world(), 4);
  const ProfiledCollective one =
      groups.collective_of({.name = "AllReduce", .communicator = 3, .bytes = 8});
  EXPECT_EQ(one.ranks, "[1, 0]");
  EXPECT_EQ(one.size, 2);
  EXPECT_EQ(one.bytes, 8);
  EXPECT_EQ(one.group, "0x3");
}

TEST(NcclGroups, numbers_that_are_known_are_taken) {
  NcclGroups groups = four();
  groups.number({{10, 4}, {11, 5}, {12, 6}}, {10, 11, 12, 13});
  EXPECT_EQ(groups.collective_of({.name = "AllReduce", .communicator = 2}).ranks, "[4, 5]");
  EXPECT_EQ(groups.collective_of({.name = "AllReduce", .communicator = 3}).ranks, "");
}

TEST(NcclGroups, a_communicator_of_some_numbers_nobody) {
  NcclGroups groups;
  groups.add(10, made(1, 2, 0));
  groups.add(11, made(2, 2, 0));
  groups.number({}, {10, 11});
  EXPECT_EQ(groups.rank_of(10), -1);
}

TEST(NcclGroups, sends_to_all_are_an_exchange) {
  NcclGroups groups = four();
  EXPECT_EQ(groups.collective_of({.name = "Send", .communicator = 2, .sends = 2}).name, "AllToAll");
  EXPECT_EQ(groups.collective_of({.name = "Send", .communicator = 1, .sends = 2}).name, "Send");
  EXPECT_EQ(groups.collective_of({.name = "Send", .sends = 3}).name, "AllToAll");
}

TEST(NcclGroups, what_cannot_be_is_nothing) {
  NcclGroups groups;
  for (const NcclPayload& one :
       {made(0, 2, 0), made(1, 0, 0), made(1, 2, 2), made(1, 2, -1),
        NcclPayload{.communicator = 1, .ranks = int64_t{1} << 40, .place = 0}})
    groups.add(10, one);
  EXPECT_EQ(groups.world(), -1);
}

}  // namespace
}  // namespace pipewright::test
