#include <algorithm>

#include "network/collectives/registry.hpp"

namespace pipewright::collective {

int Members::per_node() const {
  const int share = nodes.size() < 2 ? 0 : nodes[1] - nodes[0];
  for (size_t node = 1; node + 1 < nodes.size(); ++node)
    if (nodes[node + 1] - nodes[node] != share) return 0;
  return share;
}

Members members_on(const Topology& topology, std::span<const int> devices) {
  Members members;
  members.devices.assign(devices.begin(), devices.end());
  std::sort(members.devices.begin(), members.devices.end());
  for (int rank = 0; rank < members.size(); ++rank) {
    if (rank > 0 &&
        topology.node(members.devices[rank]) == topology.node(members.devices[rank - 1]))
      continue;
    members.nodes.push_back(rank);
  }
  members.nodes.push_back(members.size());
  return members;
}

std::span<const Algorithm* const> algorithms() { return registry; }

}  // namespace pipewright::collective
