// To how many places of its experts a token goes.
#include "workload/transformer/expert_spread.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(ExpertSpread, a_node_with_two_of_a_token_s_experts_gets_it_once) {
  // 2 of 4 experts, two a node: a node has none of them in 1 of 6 draws. Of 2 copies one goes to
  // the other node in the mean; sent once, 5/6 of one does.
  EXPECT_NEAR(sent_once({.count = 4, .active = 2}, 2), 5.0 / 6, 1e-12);
  // All of 4 experts on 2 nodes: two copies for each, one of them sent.
  EXPECT_NEAR(sent_once({.count = 4, .active = 4}, 2), 0.5, 1e-12);
}

TEST(ExpertSpread, a_token_that_is_limited_to_a_group_goes_to_its_node_alone) {
  // 2 of 4 experts, both in one of two groups, a group a node: each node is reached by half the
  // tokens, which need both of its experts. Of 2 copies half a one crosses.
  EXPECT_NEAR(sent_once({.count = 4, .active = 2, .groups = 2, .active_groups = 1}, 2), 0.5, 1e-12);
  // Four groups of one expert, two a node, two of them chosen: as without groups.
  EXPECT_NEAR(sent_once({.count = 4, .active = 2, .groups = 4, .active_groups = 2}, 2), 5.0 / 6,
              1e-12);
  // One group of four experts over two nodes: as without groups.
  EXPECT_NEAR(sent_once({.count = 4, .active = 2, .groups = 1, .active_groups = 1}, 2), 5.0 / 6,
              1e-12);
}

TEST(ExpertSpread, fewer_groups_never_send_more) {
  double before = 0;
  for (int64_t groups = 1; groups <= 8; ++groups) {
    const double share =
        sent_once({.count = 256, .active = 8, .groups = 8, .active_groups = groups}, 8);
    EXPECT_GT(share, before);
    before = share;
  }
  // All groups chosen: the limit is none.
  EXPECT_NEAR(before, sent_once({.count = 256, .active = 8}, 8), 1e-12);
}

TEST(ExpertSpread, nothing_is_spared_where_a_token_has_one_expert_or_all_are_on_one_node) {
  EXPECT_NEAR(sent_once({.count = 8, .active = 1}, 4), 1, 1e-12);
  EXPECT_EQ(sent_once({.count = 8, .active = 2}, 1), 1);
}

TEST(ExpertSpread, more_places_never_send_less) {
  double before = 0;
  for (int places = 1; places <= 256; places *= 2) {
    // Of copies for all places, whose part for others grows too.
    const double others = sent_once({.count = 256, .active = 8}, places) * (1 - 1.0 / places);
    EXPECT_GE(others, before) << places;
    before = others;
  }
  // A place for each expert: all copies part.
  EXPECT_NEAR(sent_once({.count = 256, .active = 8}, 256), 1, 1e-12);
}

}  // namespace
}  // namespace pipewright::test
