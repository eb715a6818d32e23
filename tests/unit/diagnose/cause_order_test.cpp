#include "diagnose/cause_order.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pipewright::test {
namespace {

std::string order_of(std::vector<Cause> causes, diagnose::Peers peers) {
  diagnose::put_in_order(causes, peers);
  std::string names;
  for (const Cause& one : causes) names += one.who + ' ';
  return names;
}

const std::vector<Cause> some = {
    {.who = "all", .recovered_s = 3, .beyond_peers = true},
    {.who = "small", .recovered_s = 1},
    {.kind = CauseKind::bubble, .who = "bubble", .recovered_s = 9, .beyond_peers = true},
    {.who = "large", .recovered_s = 2}};

TEST(CauseOrder, what_is_slower_than_its_peers_is_before_what_all_have_each_by_size) {
  EXPECT_EQ(order_of(some, diagnose::Peers::some), "large small bubble all ");
}

TEST(CauseOrder, without_peers_size_alone_counts) {
  EXPECT_EQ(order_of(some, diagnose::Peers::none), "bubble all large small ");
}

TEST(CauseOrder, members_of_a_group_are_peers_of_one_that_is_slow) {
  diagnose::MeasuredJob job;
  EXPECT_EQ(diagnose::peers_in(job), diagnose::Peers::none);
  job.slow_members.emplace_back();
  EXPECT_EQ(diagnose::peers_in(job), diagnose::Peers::some);
}

TEST(CauseOrder, of_causes_that_recover_nothing_alone_the_one_comes_first_that_recovers_more_then) {
  EXPECT_EQ(order_of({{.who = "less", .attributed_s = 1}, {.who = "more", .attributed_s = 2}},
                     diagnose::Peers::some),
            "more less ");
}

}  // namespace
}  // namespace pipewright::test
