// The order in which max-min sharing looks at layers again.
#include "network/fair_visits.hpp"

#include <gtest/gtest.h>

namespace pipewright::network {
namespace {

/// Layers that hold a flow of load 1 at level 0, so that what they have free is their next level.
struct Visits : FairVisits {
  Visits() : FairVisits(Fixed{1} << 100) {}
  using FairVisits::take_visit, FairVisits::enqueue, FairVisits::watch;

  uint32_t add(int64_t free, int priority = 0) {
    const uint32_t layer = add_layer(free, priority);
    layers_[layer].level = 0;
    layers_[layer].load = 1;
    return layer;
  }
  /// Takes the next one, which need not be visited again.
  uint32_t take() {
    const uint32_t layer = take_visit();
    if (layer != none) layers_[layer].queued = false;
    return layer;
  }
  void use(uint32_t layer, Fixed amount) { FairVisits::use(layer, amount, 1); }
};

TEST(FairVisits, the_lowest_level_comes_first_and_a_higher_priority_before_it) {
  Visits visits;
  const uint32_t high = visits.add(9), low = visits.add(2), urgent = visits.add(50, 1);
  for (const uint32_t layer : {high, low, urgent}) visits.enqueue(layer);
  EXPECT_EQ(visits.take(), urgent);
  EXPECT_EQ(visits.take(), low);
  EXPECT_EQ(visits.take(), high);
  EXPECT_EQ(visits.take(), none);
}

TEST(FairVisits, a_level_that_has_risen_meanwhile_goes_back_into_its_place) {
  Visits visits;
  const uint32_t first = visits.add(2), second = visits.add(5);
  visits.enqueue(first);
  visits.enqueue(second);
  visits.use(first, -20);
  EXPECT_EQ(visits.take(), second);
  EXPECT_EQ(visits.take(), first);
}

TEST(FairVisits, a_layer_that_holds_flows_hears_of_every_use) {
  Visits visits;
  const uint32_t layer = visits.add(5);
  visits.watch(layer);
  EXPECT_EQ(visits.take(), none);
  visits.use(layer, 1);
  EXPECT_EQ(visits.take(), layer);
  EXPECT_EQ(visits.take(), none);
}

}  // namespace
}  // namespace pipewright::network
