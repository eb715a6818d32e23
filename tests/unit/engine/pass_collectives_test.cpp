#include "engine/pass_collectives.hpp"

#include <gtest/gtest.h>

#include "support/price_rules.hpp"

namespace pipewright::test {
namespace {

// The first group has a slow link; no group runs the second type.
TEST(PassCollectives, each_device_has_the_time_of_its_own_group) {
  Program program;
  program.ranks = {{.device = 0}, {.device = 2}};
  program.groups = {{0, 1}, {2, 3}};
  program.types.assign(2, {.kind = OpKind::collective});
  program.ops = {{.type = 0, .rank = 0, .peer = 0}, {.type = 0, .rank = 1, .peer = 1}};
  const Prices prices =
      prices_by({.compute = {},
                 .transfer = {},
                 .collective = [](CollectiveKind, std::span<const int32_t> group, Bytes) {
                   return microseconds(group[0] == 0 ? 100 : 50);
                 }});
  const PassCollectives found(program, prices, {true, true});
  EXPECT_EQ(found.ranks(0), 2u);
  EXPECT_EQ(found.ranks(1), 0u);
  for (const int32_t device : {0, 1}) EXPECT_EQ(found.time(0, device), microseconds(100));
  for (const int32_t device : {2, 3}) EXPECT_EQ(found.time(0, device), microseconds(50));
  EXPECT_NE(found.unlike(0), found.unlike(2));
}

}  // namespace
}  // namespace pipewright::test
