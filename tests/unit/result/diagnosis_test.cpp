#include "result/diagnosis.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(Diagnosis, causes_have_the_names_of_the_schema) {
  EXPECT_EQ(name_of(CauseKind::worker), "worker");
  EXPECT_EQ(name_of(CauseKind::sequence_lengths), "sequence_lengths");
  EXPECT_EQ(name_of(CauseKind::imbalance), "imbalance");
}

TEST(Diagnosis, a_node_is_whole_when_all_its_devices_are_named) {
  Diagnosis diagnosis;
  EXPECT_TRUE(whole_nodes(diagnosis, {0, 1}).empty());
  diagnosis.nodes = {{0, 1}, {2, 3}};
  EXPECT_EQ(whole_nodes(diagnosis, {1, 2, 3}), std::vector{1});
  EXPECT_TRUE(whole_nodes(diagnosis, {1, 2}).empty());
}

// When the slowest waits for nobody, others that are slower than the mean do not either.
TEST(Diagnosis, a_cause_may_have_more_than_the_excess) {
  EXPECT_DOUBLE_EQ(share_of_excess(1, 4, false).value(), 0.25);
  EXPECT_DOUBLE_EQ(share_of_excess(6, 4, false).value(), 1.5);
}

// The ideal evens out peers: it has communication, and a rank without peers is its own ideal.
TEST(Diagnosis, a_cure_beyond_peers_that_brings_more_than_the_excess_is_no_share_of_it) {
  EXPECT_DOUBLE_EQ(share_of_excess(1, 4, true).value(), 0.25);
  EXPECT_FALSE(share_of_excess(6, 4, true));
}

TEST(Diagnosis, where_nothing_exceeds_the_ideal_there_is_no_share) {
  EXPECT_FALSE(share_of_excess(1, 0, false));
  EXPECT_FALSE(share_of_excess(1, -1, false));
  EXPECT_FALSE(share_of_excess(0, 4, false));
}

}  // namespace
}  // namespace pipewright::test
