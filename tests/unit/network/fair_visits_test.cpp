// The order in which max-min sharing looks at layers again.
#include "network/fair_visits.hpp"

#include <gtest/gtest.h>

namespace pipewright::network {
namespace {

/// Layers that hold a flow of load 1 at a level, and have nothing free.
struct Visits : FairVisits {
  static constexpr Fixed danger = Fixed{1} << 100;
  Visits() : FairVisits(danger) {}
  using FairVisits::take_visit, FairVisits::enqueue, FairVisits::watch;

  uint32_t add(int64_t level, int priority = 0) {
    const uint32_t layer = add_layer(0, priority);
    layers_[layer].level = level;
    layers_[layer].load = 1;
    return layer;
  }
  /// Adds one that holds none, and for which flows of load `pending` wait.
  uint32_t add_waited_for(int64_t free, uint64_t pending) {
    const uint32_t layer = add_layer(free, 0);
    groups_[layer].pending = pending;
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

TEST(FairVisits, what_lacks_dangerously_much_comes_first_and_only_once) {
  Visits visits;
  const uint32_t low = visits.add(2), high = visits.add(9);
  visits.enqueue(low);
  visits.enqueue(high);
  visits.use(high, 2 * Visits::danger);
  EXPECT_EQ(visits.take(), high);
  EXPECT_EQ(visits.take(), low);
  EXPECT_EQ(visits.take(), none);
}

TEST(FairVisits, without_flows_the_level_is_what_those_that_wait_would_get) {
  Visits visits;
  const uint32_t held = visits.add(50);
  const uint32_t waited_for = visits.add_waited_for(300, 10);
  visits.enqueue(held);
  visits.enqueue(waited_for);
  EXPECT_EQ(visits.take(), waited_for);
  EXPECT_EQ(visits.take(), held);
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
