#include "run/oversubscription.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments.hpp"

namespace pipewright::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Two data-parallel replicas of tensor groups on 16 nodes of 8 devices.
std::vector<std::string> fabric_notes(const std::string& fabric, const std::string& rest) {
  return run(experiment("model: {transformer: {layers: 4, hidden: 4096, heads: 32, ffn: 16384, "
                        "vocabulary: 1024}}\n"
                        "cluster: {node: dgx-a100-80g, nodes: 16, fabric: {kind: fat-tree, "
                        "link: hdr, nics: 8, " +
                        fabric +
                        "}}\nbatch: {global: 16, micro: 1, sequence: 1024}\nschedule: 1f1b\n" +
                        rest))
      .result.notes;
}

TEST(Oversubscription, of_a_network_that_shares_nothing_changes_nothing) {
  EXPECT_THAT(fabric_notes("oversubscription: 4", "parallel: {tensor: 8}\nnetwork: alpha-beta\n"),
              Contains(HasSubstr("messages share no link")));
}

// 8 rails of 16 NICs are 128 NICs on one switch of 128 ports.
TEST(Oversubscription, on_one_switch_changes_nothing) {
  EXPECT_THAT(fabric_notes("oversubscription: 4, switch_ports: 128", "parallel: {tensor: 8}\n"),
              Contains(HasSubstr("all nodes are on one switch")));
}

// On rails all that a data-parallel group sends stays on the leaf of its rail.
TEST(Oversubscription, is_no_matter_where_nothing_leaves_a_leaf) {
  EXPECT_THAT(fabric_notes("oversubscription: 4", "parallel: {tensor: 8}\n"),
              Contains(HasSubstr("leaves its leaf switch")));
}

TEST(Oversubscription, that_is_not_there_needs_no_words) {
  EXPECT_THAT(fabric_notes("oversubscription: 1", "parallel: {tensor: 8}\n"),
              Not(Contains(HasSubstr("oversubscription"))));
}

}  // namespace
}  // namespace pipewright::test
