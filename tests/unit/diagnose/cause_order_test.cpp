#include "diagnose/cause_order.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

// What is slower than its peers comes first, if it is worth a beginning.
TEST(CauseOrder, what_all_peers_have_is_behind_unless_it_is_far_more) {
  const auto first_of = [](double of_all) {
    std::vector<Cause> causes = {{.who = "all", .recovered_s = of_all, .beyond_peers = true},
                                 {.who = "one", .recovered_s = 1},
                                 {.kind = CauseKind::bubble, .who = "bubble", .recovered_s = 90}};
    diagnose::put_in_order(causes, diagnose::Peers::some);
    EXPECT_EQ(causes.back().who, "bubble");
    return causes.front().who;
  };
  EXPECT_EQ(first_of(19), "one");
  EXPECT_EQ(first_of(21), "all");
}

}  // namespace
}  // namespace pipewright::test
