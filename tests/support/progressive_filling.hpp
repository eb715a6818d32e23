// Max-min fair rates by the textbook, for tests: written apart from the product's solver, from
// scratch each time, with no thought of speed.
//
// Class by class of priority, raise the level of all flows that can still grow together until a
// link is full or a flow has its cap; freeze those; repeat (Bertsekas, Gallager: Data
// Networks, 6.5.2).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace pipewright::test {

struct SharedFlow {
  std::vector<uint32_t> links;
  double weight = 1;
  double cap = std::numeric_limits<double>::infinity();
  int priority = 0;
  int multiplicity = 1;
  std::vector<int> multiplicities = {};  ///< by link, where they differ

  /// How many cross `link`.
  int times(uint32_t link) const {
    for (size_t k = 0; k < links.size(); ++k)
      if (links[k] == link) return multiplicities.empty() ? multiplicity : multiplicities[k];
    return 0;
  }
};

using Members = std::set<size_t>;

/// The level at which `members` together fill a link that has `left` to give them.
inline long double full_at(const std::vector<SharedFlow>& flows, const Members& members,
                           uint32_t link, long double left) {
  long double load = 0;
  for (const size_t flow : members) {
    load += static_cast<long double>(flows[flow].weight) * flows[flow].times(link);
  }
  return load > 0 ? left / load : std::numeric_limits<long double>::infinity();
}

/// The level at which one flow cannot grow any more.
inline long double frozen_at(const SharedFlow& flow, const std::vector<long double>& full) {
  long double level = static_cast<long double>(flow.cap) / flow.weight;
  for (const uint32_t link : flow.links) level = std::min(level, full[link]);
  return level;
}

/// Fills what is `left` of the links with one class.
inline void fill_class(const std::vector<SharedFlow>& flows, Members growing,
                       std::vector<long double>& left, std::vector<double>& rates) {
  while (!growing.empty()) {
    std::vector<long double> full;
    for (uint32_t link = 0; link < left.size(); ++link)
      full.push_back(full_at(flows, growing, link, left[link]));
    long double level = std::numeric_limits<long double>::infinity();
    for (const size_t flow : growing) level = std::min(level, frozen_at(flows[flow], full));
    const Members before = growing;
    for (const size_t flow : before) {
      if (frozen_at(flows[flow], full) > level * (1 + 1e-15L)) continue;
      growing.erase(flow);
      rates[flow] = static_cast<double>(level * flows[flow].weight);
      for (const uint32_t link : flows[flow].links)
        left[link] -= std::min(left[link], level * flows[flow].weight * flows[flow].times(link));
    }
  }
}

/// bytes/s of each flow; of one, where it stands for several. Every flow needs a finite limit.
inline std::vector<double> progressive_filling(const std::vector<SharedFlow>& flows,
                                               const std::vector<double>& capacities) {
  std::vector<double> rates(flows.size());
  std::vector<long double> left(capacities.begin(), capacities.end());
  std::map<int, Members, std::greater<>> classes;
  for (size_t flow = 0; flow < flows.size(); ++flow) classes[flows[flow].priority].insert(flow);
  for (const auto& [priority, members] : classes) fill_class(flows, members, left, rates);
  return rates;
}

}  // namespace pipewright::test
