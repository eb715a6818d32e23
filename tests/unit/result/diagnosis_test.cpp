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

}  // namespace
}  // namespace pipewright::test
