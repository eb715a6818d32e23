// Flows in the product's solver of max-min sharing, and the proof that their rates are fair.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>

#include "network/fair_shares.hpp"
#include "support/progressive_filling.hpp"
#include "support/random.hpp"

namespace pipewright::test {

inline Flow as_flow(const SharedFlow& flow, uint32_t id, Bytes bytes = {1}) {
  return {id,
          flow.links,
          bytes,
          flow.weight,
          flow.cap,
          flow.priority,
          flow.multiplicity,
          flow.multiplicities};
}

inline std::vector<Bandwidth> as_bandwidths(const std::vector<double>& capacities) {
  std::vector<Bandwidth> bandwidths;
  for (const double capacity : capacities) bandwidths.push_back({capacity});
  return bandwidths;
}

/// Flows present, with their numbers in the solver.
struct Present {
  std::vector<SharedFlow> flows;
  std::vector<uint32_t> numbers;

  void add(network::FairShares& shares, SharedFlow flow) {
    numbers.push_back(shares.add(as_flow(flow, 0)));
    flows.push_back(std::move(flow));
  }
  void remove(network::FairShares& shares, size_t place) {
    shares.remove(numbers[place]);
    numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(place));
    flows.erase(flows.begin() + static_cast<std::ptrdiff_t>(place));
  }
  std::vector<double> rates(const network::FairShares& shares) const {
    std::vector<double> rates;
    for (size_t k = 0; k < flows.size(); ++k)
      rates.push_back(flows[k].weight * shares.level(shares.bottleneck(numbers[k])));
    return rates;
  }
};

inline constexpr double tolerance = 1e-9;

/// What flows of `priority` or a higher one take of a link together.
inline double used(const Present& present, const std::vector<double>& rates, uint32_t link,
                   int priority) {
  double sum = 0;
  for (size_t k = 0; k < rates.size(); ++k) {
    const SharedFlow& flow = present.flows[k];
    if (flow.priority >= priority) sum += rates[k] * flow.times(link);
  }
  return sum;
}

/// No flow of the same priority on the link gets more by weight.
inline bool among_fastest(const Present& present, const std::vector<double>& rates, size_t k,
                          uint32_t link) {
  const double level = rates[k] / present.flows[k].weight;
  for (size_t other = 0; other < rates.size(); ++other) {
    const SharedFlow& flow = present.flows[other];
    const bool there = std::find(flow.links.begin(), flow.links.end(), link) != flow.links.end();
    if (!there || flow.priority != present.flows[k].priority) continue;
    if (rates[other] / flow.weight > level * (1 + tolerance) + tolerance) return false;
  }
  return true;
}

inline bool held_up(const Present& present, const std::vector<double>& rates,
                    const std::vector<double>& capacities, size_t k, double allowed) {
  const SharedFlow& flow = present.flows[k];
  if (rates[k] >= flow.cap * (1 - allowed)) return true;
  return std::any_of(flow.links.begin(), flow.links.end(), [&](uint32_t link) {
    const bool full = used(present, rates, link, flow.priority) >= capacities[link] * (1 - allowed);
    return full && among_fastest(present, rates, k, link);
  });
}

/// Bertsekas and Gallager: rates are max-min fair exactly if every flow has a bottleneck. A full
/// link may carry less than it can by the part `allowed`.
inline void expect_certificate(const Present& present, const std::vector<double>& rates,
                               const std::vector<double>& capacities, double allowed = tolerance) {
  for (uint32_t link = 0; link < capacities.size(); ++link)
    ASSERT_LE(used(present, rates, link, INT_MIN), capacities[link] * (1 + tolerance)) << link;
  for (size_t k = 0; k < rates.size(); ++k) {
    ASSERT_LE(rates[k], present.flows[k].cap * (1 + tolerance));
    ASSERT_TRUE(held_up(present, rates, capacities, k, allowed))
        << "flow " << k << " could be faster";
  }
}

}  // namespace pipewright::test
