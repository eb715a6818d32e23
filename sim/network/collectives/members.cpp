#include <algorithm>
#include <set>

#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

/// NICs to which devices are joined; 1 where they are joined to none by a link of their own.
int nics_of(const Topology& topology, std::span<const int> devices) {
  std::set<VertexId> nics;
  for (const int device : devices) {
    for (const LinkId id : topology.links_of(topology.vertex(device))) {
      const VertexId to = topology.links()[id].to;
      if (topology.vertices()[to].kind == VertexKind::nic) nics.insert(to);
    }
  }
  return std::max(1, static_cast<int>(nics.size()));
}

bool are_joined_each_to_each(const Topology& topology, std::span<const int> devices) {
  return std::ranges::all_of(devices, [&](int device) {
    const std::span<const LinkId> links = topology.links_of(topology.vertex(device));
    return std::ranges::all_of(devices, [&](int other) {
      return other == device || std::ranges::any_of(links, [&](LinkId id) {
               return topology.links()[id].to == topology.vertex(other);
             });
    });
  });
}

int rails_on(const Topology& topology, const Members& members) {
  if (members.node_count() < 2)
    return are_joined_each_to_each(topology, members.devices) ? members.size() : 1;
  int least = members.size();
  for (size_t node = 0; least > 1 && node + 1 < members.nodes.size(); ++node) {
    const auto first = static_cast<size_t>(members.nodes[node]);
    const auto count = static_cast<size_t>(members.nodes[node + 1]) - first;
    const auto devices = std::span(members.devices).subspan(first, count);
    least = std::min({least, static_cast<int>(count), nics_of(topology, devices)});
  }
  return least;
}

}  // namespace

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
  members.rails = rails_on(topology, members);
  return members;
}

std::span<const Algorithm* const> algorithms() { return registry; }

}  // namespace pipewright::collective
