// Rates small enough to be found by hand. Capacities are in bytes/s.
#include "network/fair_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pipewright::network {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

class Network {
 public:
  explicit Network(const std::vector<double>& capacities) : shares(bandwidths(capacities)) {}

  uint32_t add(std::vector<uint32_t> links, Flow flow = {}) {
    flow.links = links;
    const uint32_t number = shares.add(flow);
    weights_.resize(std::max(weights_.size(), size_t{number} + 1));
    weights_[number] = flow.weight;
    shares.solve();
    return number;
  }
  void remove(uint32_t flow) {
    shares.remove(flow);
    shares.solve();
  }
  double rate(uint32_t flow) const {
    return weights_[flow] * shares.level(shares.bottleneck(flow));
  }

  FairShares shares;

 private:
  static std::vector<Bandwidth> bandwidths(const std::vector<double>& capacities) {
    std::vector<Bandwidth> all;
    for (const double capacity : capacities) all.push_back({capacity});
    return all;
  }
  std::vector<double> weights_;
};

TEST(FairShares, a_flow_alone_gets_its_narrowest_link) {
  Network network({10, 4, 7});
  EXPECT_EQ(network.rate(network.add({0, 1, 2})), 4);
}

TEST(FairShares, what_one_flow_cannot_use_another_gets) {
  // y is held to 4 by link 1, so x gets the other 6 of link 0.
  Network network({10, 4});
  const uint32_t x = network.add({0}), y = network.add({0, 1});
  EXPECT_EQ(network.rate(x), 6);
  EXPECT_EQ(network.rate(y), 4);
}

TEST(FairShares, a_long_flow_shares_each_link_with_a_short_one) {
  Network network({8, 8, 8});
  const uint32_t long_flow = network.add({0, 1, 2});
  for (const uint32_t link : {0u, 1u, 2u}) EXPECT_EQ(network.rate(network.add({link})), 4);
  EXPECT_EQ(network.rate(long_flow), 4);
}

TEST(FairShares, removal_gives_back) {
  Network network({9});
  const uint32_t a = network.add({0}), b = network.add({0}), c = network.add({0});
  EXPECT_EQ(network.rate(a), 3);
  network.remove(b);
  EXPECT_EQ(network.rate(a), 4.5);
  network.remove(a);
  EXPECT_EQ(network.rate(c), 9);
}

TEST(FairShares, rates_are_as_the_weights) {
  Network network({9});
  const uint32_t light = network.add({0}), heavy = network.add({0}, {.weight = 2});
  EXPECT_EQ(network.rate(light), 3);
  EXPECT_EQ(network.rate(heavy), 6);
}

TEST(FairShares, a_cap_leaves_the_rest_to_others) {
  Network network({10});
  const uint32_t capped = network.add({0}, {.cap = 1}), free = network.add({0});
  EXPECT_EQ(network.rate(capped), 1);
  EXPECT_EQ(network.rate(free), 9);
}

TEST(FairShares, a_higher_priority_goes_first_and_lower_ones_share_the_rest) {
  Network network({10});
  const uint32_t a = network.add({0}), b = network.add({0});
  const uint32_t first = network.add({0}, {.cap = 4, .priority = 1});
  EXPECT_EQ(network.rate(first), 4);
  EXPECT_EQ(network.rate(a), 3);
  EXPECT_EQ(network.rate(b), 3);
  const uint32_t above_all = network.add({0}, {.priority = 2});
  EXPECT_EQ(network.rate(above_all), 10);
  EXPECT_EQ(network.rate(first), 0);
  EXPECT_EQ(network.rate(a), 0);
}

TEST(FairShares, a_flow_that_stands_for_three_is_three) {
  Network network({8});
  const uint32_t three = network.add({0}, {.multiplicity = 3}), one = network.add({0});
  EXPECT_EQ(network.rate(three), 2);
  EXPECT_EQ(network.rate(one), 2);
}

TEST(FairShares, a_flow_that_crosses_a_link_a_thousand_times_comes_to_one_that_has_it_alone) {
  // At the other's level it would take a thousand times what the link can carry.
  const double capacity = 4.096e14;
  Network network({capacity});
  const uint32_t one = network.add({0});
  const std::vector<int> thousand{1000};
  const uint32_t many = network.add({0}, {.multiplicities = thousand});
  EXPECT_DOUBLE_EQ(network.rate(one), capacity / 1001);
  EXPECT_DOUBLE_EQ(network.rate(many), capacity / 1001);
}

TEST(FairShares, a_weight_may_come_to_one_that_is_a_hundred_thousand_million_times_smaller) {
  // More than a number has room for while levels are in motion, on either link.
  const double capacity = 4.096e14, light = 0x1p-19, heavy = 0x1p18;
  Network network({capacity, 2 * capacity, 1});
  const uint32_t first = network.add({0, 1}, {.weight = light});
  const uint32_t other = network.add({2});
  const uint32_t second = network.add({0, 1}, {.weight = heavy});
  EXPECT_DOUBLE_EQ(network.rate(first), capacity * light / (light + heavy));
  EXPECT_DOUBLE_EQ(network.rate(second), capacity * heavy / (light + heavy));
  EXPECT_EQ(network.rate(other), 1);
  network.remove(second);
  EXPECT_DOUBLE_EQ(network.rate(first), capacity);
}

TEST(FairShares, what_an_overload_displaces_comes_back_class_by_class) {
  const double capacity = 4.096e14, light = 0x1p-19, heavy = 0x1p18;
  Network network({capacity, capacity});
  const uint32_t low = network.add({1}), high = network.add({0}, {.weight = light, .priority = 1});
  const uint32_t second = network.add({0, 1}, {.weight = heavy, .cap = 1e14, .priority = 1});
  EXPECT_DOUBLE_EQ(network.rate(second), 1e14);
  EXPECT_DOUBLE_EQ(network.rate(high), capacity - 1e14);
  EXPECT_DOUBLE_EQ(network.rate(low), capacity - 1e14);
}

TEST(FairShares, a_cap_holds_for_each_flow_that_one_stands_for) {
  const double capacity = 5.12e14, cap = 1.5e14;
  Network network({capacity});
  const std::vector<int> once{1};
  const uint32_t flow =
      network.add({0}, {.cap = cap, .multiplicity = 1000, .multiplicities = once});
  EXPECT_DOUBLE_EQ(network.rate(flow), cap);
}

TEST(FairShares, unbounded_links_hold_nobody_up) {
  Network network({unbounded, 5});
  EXPECT_EQ(network.shares.add({.links = std::vector<uint32_t>{0}}), none);
  EXPECT_EQ(network.rate(network.add({0, 1})), 5);
}

TEST(FairShares, a_link_without_capacity_stops_its_flows_alone) {
  Network network({0, 6});
  const uint32_t stopped = network.add({0, 1}), other = network.add({1});
  EXPECT_EQ(network.rate(stopped), 0);
  EXPECT_EQ(network.rate(other), 6);
}

TEST(FairShares, a_change_is_not_noticed_where_it_cannot_reach) {
  // Links 0 and 1 have a flow in common, link 2 has none with them.
  Network network({10, 10, 10});
  network.add({0, 1});
  network.add({2});
  network.shares.forget_changes();
  network.add({1});
  const auto changed = network.shares.changed_layers();
  EXPECT_EQ(std::count(changed.begin(), changed.end(), 2u), 0);
  EXPECT_EQ(std::count(changed.begin(), changed.end(), 1u), 1);
}

TEST(FairShares, ten_thousand_changes_leave_no_trace) {
  // 1/3 is no finite binary fraction: rounding that added up would show in the last bits.
  Network network({1e9 / 3, 1e11, 7e9});
  const uint32_t first = network.add({0, 1}), second = network.add({1, 2});
  const double before[] = {network.rate(first), network.rate(second)};
  std::mt19937 random(5);
  std::vector<uint32_t> guests;
  for (int change = 0; change < 10'000; ++change) {
    if (guests.empty() || random() % 2 == 0) {
      const uint32_t from = random() % 2;
      guests.push_back(network.add({from, from + 1}, {.weight = 1 + (random() % 7) / 3.0}));
    } else {
      std::swap(guests[random() % guests.size()], guests.back());
      network.remove(guests.back());
      guests.pop_back();
    }
  }
  for (const uint32_t guest : guests) network.remove(guest);
  EXPECT_EQ(network.rate(first), before[0]);
  EXPECT_EQ(network.rate(second), before[1]);
}

}  // namespace
}  // namespace pipewright::network
