// Counts how much each link carries: messages along their routes, collectives as rings, those that
// simulated ranks stand for included. Links without limits are not counted.
#include "run/link_use.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "result/link_tier.hpp"
#include "run/link_busy.hpp"

namespace pipewright {
namespace {

constexpr size_t drawn_links = 256, most_links = 10;

/// Prices by data sheets.
Prices bare(const Prices& prices) {
  Prices of_data_sheets;
  of_data_sheets.resharding = prices.resharding;
  return of_data_sheets;
}

/// Links of a class, all as busy as each other.
struct Busy {
  double part = 0;  ///< of what they could carry
  double bytes = 0;
  const std::vector<LinkId>* links = nullptr;
};

std::vector<Busy> busiest_first(const Topology& topology, const LinkBytes& bytes, Time makespan) {
  std::vector<Busy> all;
  for (size_t name = 0; name < bytes.bytes.size(); ++name) {
    const std::vector<LinkId>& links = bytes.classes->links[name];
    if (bytes.bytes[name] == 0) continue;
    const Link& first = topology.links()[links.front()];
    all.push_back({busy_fraction(first, bytes.bytes[name], makespan), bytes.bytes[name], &links});
  }
  std::ranges::stable_sort(all, std::greater{}, &Busy::part);
  return all;
}

/// Adds the busiest link of every tier that has none yet.
void add_tiers(const Topology& topology, const std::vector<Busy>& busy,
               std::vector<LinkUse>& uses) {
  std::set<std::string> known;
  for (const LinkUse& use : uses) known.insert(tier_of(use.name));
  for (const Busy& one : busy) {
    const std::string name = topology.name(std::ranges::min(*one.links));
    if (known.insert(tier_of(name)).second) uses.push_back({name, one.bytes, one.part});
  }
}

}  // namespace

LinkBytes bytes_by_link(const Program& program, const Prices& prices, const Mirror& mirror,
                        LaidLinks& laid) {
  if (const auto op_routes = find_op_routes(program, bare(prices), mirror, laid))
    return bytes_by_link(*op_routes);
  return bytes_of_each(program, laid.topology(), bare(prices), laid.spreading());
}

LinkBytes bytes_by_link(const Program& program, const Topology& topology, const Prices& prices,
                        const Spreading& spreading) {
  return bytes_of_each(program, topology, bare(prices), spreading);
}

std::vector<LinkUse> busiest_links(const Topology& topology, const LinkBytes& bytes,
                                   Time makespan) {
  const std::vector<Busy> busy = busiest_first(topology, bytes, makespan);
  size_t count = 0;
  for (const Busy& one : busy) count += one.links->size();
  const size_t kept = count <= drawn_links ? count : most_links;
  std::vector<LinkUse> uses;
  for (auto first = busy.begin(); uses.size() < kept;) {
    const double part = first->part;
    std::vector<std::pair<LinkId, double>> equal;  // as busy as each other, with their bytes
    for (; first != busy.end() && first->part == part; ++first)
      for (const LinkId link : *first->links) equal.emplace_back(link, first->bytes);
    std::ranges::sort(equal);
    equal.resize(std::min(equal.size(), kept - uses.size()));
    for (const auto& [link, carried] : equal) uses.push_back({topology.name(link), carried, part});
  }
  if (kept < count) add_tiers(topology, busy, uses);
  return uses;
}

}  // namespace pipewright
