// Max-min sharing on random links and flows that come and go, held against its definition and
// against solvers that were written apart from it.
#include <gtest/gtest.h>

#include "network/max_min.hpp"
#include "support/present_flows.hpp"
#include "support/stepped_traffic.hpp"

namespace pipewright::test {
namespace {

/// What a round of random flows may make use of.
struct Variety {
  uint32_t links = 1, longest_route = 1;
  bool weights = false, caps = false, priorities = false, multiplicities = false;
  bool few_capacities = false;  ///< so that many links are full at the same level
};

Variety some_variety(Random& random) {
  const uint32_t links = 1 + random.below(random.one_in(4) ? 40 : 8);
  return {links,
          1 + random.below(std::min(links, 6u)),
          random.one_in(2),
          random.one_in(2),
          random.one_in(3),
          random.one_in(2),
          random.one_in(2)};
}

std::vector<double> some_capacities(Random& random, const Variety& variety) {
  std::vector<double> capacities;
  for (uint32_t link = 0; link < variety.links; ++link)
    capacities.push_back(variety.few_capacities
                             ? 1e9 * (1 + random.below(3))
                             : std::exp(random.real(std::log(1e8), std::log(1e12))));
  return capacities;
}

SharedFlow some_flow(Random& random, const Variety& variety) {
  SharedFlow flow;
  while (flow.links.size() < 1 + random.below(variety.longest_route)) {
    const uint32_t link = random.below(variety.links);
    if (std::find(flow.links.begin(), flow.links.end(), link) == flow.links.end())
      flow.links.push_back(link);
  }
  if (variety.weights && random.one_in(2))
    flow.weight = (1 + random.below(8192)) / 1024.0;  // which the solver holds exactly
  if (variety.caps && random.one_in(3)) flow.cap = random.real(1e7, 1e10);
  if (variety.priorities) flow.priority = static_cast<int>(random.below(3)) - 1;
  if (variety.multiplicities && random.one_in(3))
    flow.multiplicity = 1 + static_cast<int>(random.below(5));
  if (variety.multiplicities && random.one_in(3))
    for (size_t k = 0; k < flow.links.size(); ++k)
      flow.multiplicities.push_back(1 + static_cast<int>(random.below(5)));
  return flow;
}

void expect_textbook_rates(const Present& present, const std::vector<double>& rates,
                           const std::vector<double>& capacities) {
  const std::vector<double> expected = progressive_filling(present.flows, capacities);
  for (size_t k = 0; k < rates.size(); ++k) {
    // What is left to a class is a difference of what links have, and as exact as that.
    double widest = 0;
    for (const uint32_t link : present.flows[k].links) widest = std::max(widest, capacities[link]);
    const double scale = present.flows[k].priority < 1 ? widest : expected[k];
    ASSERT_NEAR(rates[k], expected[k], tolerance * scale) << "flow " << k;
  }
}

/// Flows come and go; `check` is told of the rates after each change.
template <class Check>
void change_flows(uint64_t round, double allowed, Check check) {
  Random random{std::mt19937_64(round)};
  const Variety variety = some_variety(random);
  const std::vector<double> capacities = some_capacities(random, variety);
  network::FairShares shares(as_bandwidths(capacities), allowed);
  Present present;
  const size_t most = 1 + random.below(60);
  for (int change = 0; change < 30; ++change) {
    for (uint32_t k = 0, count = 1 + random.below(random.one_in(3) ? 20 : 3); k < count; ++k) {
      if (present.flows.empty() || (present.flows.size() < most && !random.one_in(3)))
        present.add(shares, some_flow(random, variety));
      else if (const size_t gone = random.below(static_cast<uint32_t>(present.flows.size()));
               shares.bottleneck(present.numbers[gone]) != network::none)
        present.remove(shares, gone);
    }
    shares.solve();
    check(present, present.rates(shares), capacities);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(MaxMin, rates_are_fair_and_the_textbooks_however_flows_come_and_go) {
  for (uint64_t round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    change_flows(round, 0, [](const Present& present, const auto& rates, const auto& capacities) {
      expect_certificate(present, rates, capacities);
      expect_textbook_rates(present, rates, capacities);
    });
    if (HasFatalFailure()) return;
  }
}

TEST(MaxMin, within_a_tolerance_rates_are_fair_but_for_that_part_of_what_links_carry) {
  for (uint64_t round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    const double allowed = round % 2 == 0 ? 1e-2 : 1e-4;
    change_flows(round, allowed,
                 [&](const Present& present, const auto& rates, const auto& capacities) {
                   expect_certificate(present, rates, capacities, allowed + tolerance);
                 });
    if (HasFatalFailure()) return;
  }
}

std::vector<TimedFlow> some_traffic(Random& random, const Variety& variety) {
  std::vector<TimedFlow> flows(1 + random.below(40));
  const double spread = random.one_in(3) ? 0 : random.real(0, 0.3);
  for (TimedFlow& flow : flows) {
    flow.sharing = some_flow(random, variety);
    flow.bytes = random.one_in(5) ? 1e7 : std::floor(random.real(1, 1e8));
    flow.start_s = std::floor(random.real(0, spread) * 1e12) * 1e-12;
  }
  return flows;
}

std::vector<double> simulated_ends(const std::vector<TimedFlow>& flows,
                                   const std::vector<double>& capacities) {
  std::vector<uint32_t> order(flows.size());
  for (uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return flows[a].start_s < flows[b].start_s; });
  MaxMinSharing network(as_bandwidths(capacities));
  std::vector<double> ends(flows.size(), -1);
  std::vector<uint32_t> ended;
  for (size_t begun = 0;;) {
    const Time start = begun < order.size() ? seconds(flows[order[begun]].start_s) : longest_time;
    const Time now = std::min(start, network.next_completion());
    if (now == longest_time) return ends;
    ended.clear();
    network.pop_completed(now, ended);
    for (const uint32_t flow : ended) ends[flow] = in_seconds(now);
    if (start > now) continue;
    const TimedFlow& flow = flows[order[begun]];
    network.add(as_flow(flow.sharing, order[begun++], {static_cast<int64_t>(flow.bytes)}), now);
  }
}

TEST(MaxMin, flows_end_when_the_stepped_textbook_says) {
  for (uint64_t round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    Random random{std::mt19937_64(1000 + round)};
    const Variety variety = some_variety(random);
    const std::vector<double> capacities = some_capacities(random, variety);
    const std::vector<TimedFlow> flows = some_traffic(random, variety);
    const std::vector<double> expected = SteppedTraffic(flows, capacities).ends();
    const std::vector<double> ends = simulated_ends(flows, capacities);
    // Every end before it was rounded to a picosecond.
    const double rounding = static_cast<double>(flows.size()) * 1e-12;
    for (size_t k = 0; k < flows.size(); ++k)
      ASSERT_NEAR(ends[k], expected[k], 1e-9 * expected[k] + rounding) << "flow " << k;
  }
}

}  // namespace
}  // namespace pipewright::test
