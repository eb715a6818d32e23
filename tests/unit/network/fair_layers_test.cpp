// The tables of max-min sharing by themselves.
#include "network/fair_layers.hpp"

#include <gtest/gtest.h>

namespace pipewright::network {
namespace {

struct Tables : FairLayers {
  using FairLayers::add_layer, FairLayers::layers_, FairLayers::lowest_layer, FairLayers::route_;
};

TEST(FairLayers, the_lowest_on_a_route_is_found_with_and_without_an_exception) {
  Tables tables;
  for (const int level : {5, 3, 4}) tables.layers_[tables.add_layer(100, 0)].level = level;
  tables.route_ = {{.layer = 0}, {.layer = 1}, {.layer = 2}};
  const FairFlow all{.first = 0, .count = 3}, last{.first = 2, .count = 1};
  EXPECT_EQ(tables.lowest_layer(all, none), 1U);
  EXPECT_EQ(tables.lowest_layer(all, 1), 2U);
  EXPECT_EQ(tables.lowest_layer(last, none), 2U);
  EXPECT_EQ(tables.lowest_layer(last, 2), none);
}

}  // namespace
}  // namespace pipewright::network
