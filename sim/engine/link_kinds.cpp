// There are far more links than kinds, and to hold all loads of each link only to compare them
// takes longer than to run the program. So each link gets a print of its loads, a sum over them, in
// any order, of 128 mixed bits each: that two of a million links with unlike loads have the same
// print is less likely than 1e-26. Loads are held for one link of each kind.
#include "engine/link_kinds.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace pipewright {
namespace {

using Load = SharedLink::Load;

struct Print {
  uint64_t low = 0, high = 0, capacity = 0;
  bool operator==(const Print&) const = default;
};
struct HashOfPrint {
  size_t operator()(const Print& print) const { return print.low; }
};

/// Visits each load with its link and its colour.
template <typename Visit>
void for_each_load(const OpRoutes& op_routes, const Colours& colours, Visit visit) {
  for (uint32_t route = 0; route < op_routes.routes.size(); ++route) {
    const SharesByInstance& all = *op_routes.routes[route].shares;
    for (size_t k = 0; k < all.size(); ++k)
      for (const LinkShare& share : all[k])
        visit(share.link, Load{route, op_routes.routes[route].bytes * share.share},
              colours.empty() ? 0 : colours[route][k]);
  }
}

std::vector<Print> prints_of(const Topology& topology, const OpRoutes& op_routes,
                             const Colours& colours) {
  std::vector<Print> prints(topology.links().size());
  for_each_load(op_routes, colours, [&](LinkId link, const Load& load, uint32_t colour) {
    const uint64_t who = uint64_t{colour} << 32 | load.route;
    const uint64_t low = mixed(std::bit_cast<uint64_t>(load.bytes) ^ mixed(who));
    prints[link].low += low;
    prints[link].high += mixed(low);
    prints[link].capacity = std::bit_cast<uint64_t>(topology.links()[link].bandwidth.bytes_per_s);
  });
  return prints;
}

/// Sorts, and counts those that are equal.
std::vector<Load> counted(std::vector<Load> loads) {
  std::sort(loads.begin(), loads.end());
  size_t kept = 0;
  for (size_t k = 1; k < loads.size(); ++k) {
    const bool again = loads[k].route == loads[kept].route && loads[k].bytes == loads[kept].bytes;
    if (again)
      ++loads[kept].times;
    else
      loads[++kept] = loads[k];
  }
  loads.resize(kept + 1);
  return loads;
}

}  // namespace

/// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
uint64_t mixed(uint64_t bits) {
  bits += 0x9e3779b97f4a7c15ull;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
  return bits ^ bits >> 31;
}

LinkKinds link_kinds(const Topology& topology, const OpRoutes& op_routes, const Colours& colours) {
  const std::vector<Print> prints = prints_of(topology, op_routes, colours);
  LinkKinds result{std::vector<uint32_t>(prints.size(), none), {}};
  std::unordered_map<Print, uint32_t, HashOfPrint> names;
  std::vector<bool> stands_for_kind(prints.size());
  for (LinkId link = 0; link < prints.size(); ++link) {
    if (prints[link] == Print{}) continue;
    const auto name = static_cast<uint32_t>(names.size());
    const auto [found, is_new] = names.try_emplace(prints[link], name);
    result.of[link] = found->second;
    stands_for_kind[link] = is_new;
    if (is_new) result.kinds.push_back({topology.links()[link].bandwidth.bytes_per_s, {}, false});
  }
  for_each_load(op_routes, colours, [&](LinkId link, const Load& load, uint32_t) {
    if (stands_for_kind[link]) result.kinds[result.of[link]].loads.push_back(load);
  });
  for (SharedLink& kind : result.kinds) kind.loads = counted(std::move(kind.loads));
  return result;
}

}  // namespace pipewright
