// Max-min sharing on fabrics of several levels whose links give nearly equal shares, over
// populations that live long: what finds errors of the order in which links are looked at, and of
// numbers that leave their range while levels are in motion.
#include <gtest/gtest.h>

#include "support/present_flows.hpp"

namespace pipewright::test {
namespace {

/// A tree of switches over hosts: at each level as many links up as down, and no two of exactly the
/// same capacity.
struct Fabric {
  std::vector<uint32_t> fan_out;  // of a switch, from the lowest level
  std::vector<uint32_t> first;    // link up of each level; the links down follow those up
  std::vector<double> capacities;
  uint32_t hosts = 1;

  explicit Fabric(Random& random) {
    for (uint32_t level = 0, levels = 1 + random.below(3); level < levels; ++level) {
      fan_out.push_back(2 + random.below(4));
      hosts *= fan_out.back();
    }
    const double rate = std::exp(random.real(std::log(1e3), std::log(4e15)));
    const double unlike = random.one_in(3) ? 0 : std::exp(random.real(std::log(1e-15), 0));
    uint32_t links = hosts;
    double narrower = 1;
    for (const uint32_t fan : fan_out) {
      first.push_back(static_cast<uint32_t>(capacities.size()));
      for (uint32_t k = 0; k < 2 * links; ++k)
        capacities.push_back(rate * narrower * (1 + unlike * random.real(0, 1)));
      links /= fan;
      narrower *= random.one_in(2) ? fan : random.real(1, fan);  // full bisection, or less
    }
  }

  uint32_t links_up(size_t level) const {
    const size_t end = level + 1 < first.size() ? first[level + 1] : capacities.size();
    return (static_cast<uint32_t>(end) - first[level]) / 2;
  }

  std::vector<uint32_t> route(uint32_t from, uint32_t to) const {
    std::vector<uint32_t> links;
    for (size_t level = 0; level < fan_out.size() && from != to; ++level) {
      links.push_back(first[level] + from);
      links.push_back(first[level] + links_up(level) + to);
      from /= fan_out[level];
      to /= fan_out[level];
    }
    return links;
  }
};

/// What the flows of a round are.
struct Population {
  uint32_t most, most_times, weight_bits;
  bool caps, priorities;

  Population(Random& random, uint32_t hosts)
      : most(2 + random.below(4 * hosts)),
        most_times(random.one_in(2) ? 1 : 1 + random.below(2000)),
        weight_bits(random.one_in(2) ? 0 : random.below(10)),
        caps(random.one_in(3)),
        priorities(random.one_in(4)) {}
};

SharedFlow some_flow(Random& random, const Fabric& fabric, const Population& population) {
  const uint32_t from = random.below(fabric.hosts);
  const uint32_t step = 1 + random.below(fabric.hosts - 1);
  SharedFlow flow{fabric.route(from, (from + step) % fabric.hosts)};
  // Collectives cross some links many times more often than others.
  if (population.most_times > 1 && random.one_in(2))
    for (size_t k = 0; k < flow.links.size(); ++k)
      flow.multiplicities.push_back(
          1 + static_cast<int>(random.below(random.one_in(2) ? 3 : population.most_times)));
  flow.weight = std::ldexp(1.0, static_cast<int>(random.below(2 * population.weight_bits + 1)) -
                                    static_cast<int>(population.weight_bits));
  if (population.caps && random.one_in(3))
    flow.cap = fabric.capacities[flow.links.front()] / (1 + random.below(population.most));
  if (population.priorities) flow.priority = static_cast<int>(random.below(3)) - 1;
  return flow;
}

/// Those that one link holds end together, most often one of them, or as many as that.
void remove_some(Random& random, network::FairShares& shares, Present& present) {
  const size_t first = random.below(static_cast<uint32_t>(present.flows.size()));
  const uint32_t holder = shares.bottleneck(present.numbers[first]);
  const uint32_t most = random.one_in(8) ? 1000 : 1;
  uint32_t gone = 0;
  for (size_t k = present.flows.size(); k-- > 0 && gone < most;) {
    const bool meant = most == 1 ? k == first : shares.bottleneck(present.numbers[k]) == holder;
    if (!meant || shares.bottleneck(present.numbers[k]) == network::none) continue;
    present.remove(shares, k);
    ++gone;
  }
}

void change(Random& random, const Fabric& fabric, const Population& population,
            network::FairShares& shares, Present& present) {
  for (uint32_t k = 0, count = 1 + random.below(3); k < count; ++k) {
    const bool full = present.flows.size() >= population.most;
    if (present.flows.empty() || (!full && random.below(5) < 3))
      present.add(shares, some_flow(random, fabric, population));
    else
      remove_some(random, shares, present);
  }
}

void expect_nothing_overloaded(const Present& present, const std::vector<double>& rates,
                               const std::vector<double>& capacities) {
  std::vector<double> used(capacities.size());
  for (size_t k = 0; k < rates.size(); ++k)
    for (const uint32_t link : present.flows[k].links)
      used[link] += rates[k] * present.flows[k].times(link);
  for (size_t link = 0; link < used.size(); ++link)
    ASSERT_LE(used[link], capacities[link] * (1 + tolerance)) << "link " << link;
}

/// The same flows, all added at once to a solver that has seen no others.
std::vector<double> rates_from_scratch(const Present& present,
                                       const std::vector<double>& capacities) {
  network::FairShares shares(as_bandwidths(capacities));
  Present again;
  for (const SharedFlow& flow : present.flows) again.add(shares, flow);
  shares.solve();
  return again.rates(shares);
}

void expect_rates_from_scratch(const Present& present, const std::vector<double>& rates,
                               const std::vector<double>& capacities) {
  const std::vector<double> expected = rates_from_scratch(present, capacities);
  for (size_t k = 0; k < rates.size(); ++k)
    // What is left to a class is a difference of what links have, and as exact as that.
    ASSERT_NEAR(rates[k], expected[k],
                1e-12 * (present.flows[k].priority < 1 ? capacities.back() : expected[k]))
        << "flow " << k;
}

void check_round(uint64_t round) {
  Random random{std::mt19937_64(round)};
  const Fabric fabric(random);
  const Population population(random, fabric.hosts);
  network::FairShares shares(as_bandwidths(fabric.capacities));
  Present present;
  for (int step = 0; step < 400; ++step) {
    change(random, fabric, population, shares, present);
    shares.solve();
    const std::vector<double> rates = present.rates(shares);
    expect_nothing_overloaded(present, rates, fabric.capacities);
    if (testing::Test::HasFatalFailure()) return;
    if (step % 16 != 0) continue;
    expect_certificate(present, rates, fabric.capacities);
    expect_rates_from_scratch(present, rates, fabric.capacities);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(MaxMinFabrics, rates_stay_fair_and_those_from_scratch_on_fabrics_of_several_levels) {
  for (uint64_t round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    check_round(round);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace pipewright::test
