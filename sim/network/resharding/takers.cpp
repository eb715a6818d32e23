#include "network/resharding/takers.hpp"

#include <algorithm>
#include <tuple>

#include "network/resharding/ways.hpp"

namespace pipewright::resharding {

std::vector<int> takers_by_host(const Topology& topology, const Meshes& meshes, const Piece& piece,
                                int sender) {
  std::vector<int> takers;
  for (const int taker : piece.takers) takers.push_back(meshes.to[static_cast<size_t>(taker)]);
  std::ranges::stable_sort(takers, {}, [&](int taker) {
    const NodeId host = topology.node(taker);
    const bool other_rail = rail_of(topology, taker) != rail_of(topology, sender);
    return std::tuple(host != topology.node(sender), host, other_rail);
  });
  return takers;
}

std::vector<std::vector<int>> gathering_groups(const Topology& topology,
                                               const std::vector<int>& takers, Strategy strategy) {
  if (strategy == Strategy::global_all_gather) return {takers};
  std::vector<std::vector<int>> groups;
  for (const int taker : takers) {
    const bool is_first =
        groups.empty() || topology.node(groups.back().front()) != topology.node(taker);
    if (is_first) groups.emplace_back();
    groups.back().push_back(taker);
  }
  return groups;
}

}  // namespace pipewright::resharding
