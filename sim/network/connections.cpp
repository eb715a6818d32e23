#include "network/connections.hpp"

#include <algorithm>

#include "base/mixed.hpp"

namespace pipewright {
namespace {

/// The most peers on other nodes, and on its own, that a member of an all-to-all is looked at
/// with; in a larger group they stand for all.
constexpr size_t most_peers = 64;

std::vector<Connection> ring_connections(const Topology& topology, std::span<const int> members,
                                         bool closed) {
  const std::vector<std::span<const int>> parts = members_by_node(topology, members);
  const uint64_t flow = flow_of(members);
  std::vector<Connection> all;
  for (size_t k = 0; parts.size() > 1 && k + (closed ? 0 : 1) < parts.size(); ++k)
    for (const Connection& rail : rails_between(parts[k], parts[(k + 1) % parts.size()], flow))
      all.push_back(rail);
  return all;
}

/// Returns the number of a device in its node.
int number_in_node(const Topology& topology, int device) {
  int first = device;
  while (first > 0 && topology.node(first - 1) == topology.node(device)) --first;
  return device - first;
}

bool is_over_nvlink(const Topology& topology, int from, int to) {
  return std::ranges::all_of(topology.route(from, to).links, [&](LinkId link) {
    return topology.links()[link].kind == LinkKind::nvlink;
  });
}

Connection to_peer(const Topology& topology, int from, int to, uint64_t flow, double share) {
  const int relay = relay_of(topology, from, to);
  if (relay == from) return {from, to, flow, share};
  return {relay, to, mixed(flow ^ static_cast<uint64_t>(from)), share, from};
}

/// Adds what `members` send each other, by some or all of the distances between them.
void add_by_distance(const Topology& topology, std::span<const int> members, uint64_t flow,
                     std::vector<Connection>& all) {
  const size_t n = members.size(), distances = std::min(n - 1, most_peers);
  const double share = static_cast<double>(n - 1) / static_cast<double>(distances);
  for (size_t k = 0; k < distances; ++k) {
    const size_t distance = 1 + k * (n - 1) / distances;
    for (size_t i = 0; i < n; ++i)
      all.push_back(to_peer(topology, members[i], members[(i + distance) % n], flow, share));
  }
}

/// Adds what the `n` members of `parts`, by node, send to other nodes. A member sends to some
/// places in each node, or in some nodes, and these get the bytes of all. So between two nodes go
/// all bytes, and where nodes have as many members, all of these send and receive as much.
void add_between_nodes(const Topology& topology, std::span<const std::span<const int>> parts,
                       size_t n, uint64_t flow, std::vector<Connection>& all) {
  const auto size = [](std::span<const int> part) { return part.size(); };
  const size_t others = parts.size() - 1, nodes = std::min(others, most_peers);
  const size_t places = std::min(size(std::ranges::max(parts, {}, size)), most_peers / nodes);
  for (size_t a = 0; a < parts.size(); ++a) {
    const auto to = [&](size_t k) { return parts[(a + 1 + k * others / nodes) % parts.size()]; };
    size_t members = 0;
    for (size_t k = 0; k < nodes; ++k) members += to(k).size();
    const double each =
        static_cast<double>(n - parts[a].size()) / static_cast<double>(members * places);
    for (size_t k = 0; k < nodes * places; ++k) {
      const std::span<const int> part = to(k / places);
      for (size_t i = 0; i < parts[a].size(); ++i)
        all.push_back(to_peer(topology, parts[a][i], part[(i + k) % part.size()], flow,
                              each * static_cast<double>(part.size())));
    }
  }
}

}  // namespace

int relay_of(const Topology& topology, int from, int to) {
  if (topology.node(from) == topology.node(to)) return from;
  const int relay = from - number_in_node(topology, from) + number_in_node(topology, to);
  const bool is_there = relay < topology.devices() && topology.node(relay) == topology.node(from);
  return is_there && is_over_nvlink(topology, from, relay) ? relay : from;
}

uint64_t flow_of(std::span<const int> members) {
  uint64_t flow = 0;
  for (const int member : members) flow = mixed(flow ^ static_cast<uint64_t>(member));
  return flow;
}

std::vector<std::span<const int>> members_by_node(const Topology& topology,
                                                  std::span<const int> members) {
  std::vector<std::span<const int>> parts;
  size_t first = 0;
  for (size_t i = 1; i <= members.size(); ++i) {
    if (i < members.size() && topology.node(members[i]) == topology.node(members[first])) continue;
    parts.push_back(members.subspan(first, i - first));
    first = i;
  }
  return parts;
}

std::vector<Connection> rails_between(std::span<const int> part, std::span<const int> next,
                                      uint64_t flow) {
  const size_t rails = std::min(part.size(), next.size());
  std::vector<Connection> all;
  for (size_t rail = 0; rail < rails; ++rail)
    all.push_back({part[rail], next[rail], flow, 1 / static_cast<double>(rails)});
  return all;
}

std::vector<Connection> connections_to_peers(const Topology& topology,
                                             std::span<const int> members) {
  std::vector<Connection> all;
  const uint64_t flow = flow_of(members);
  if (members.size() <= most_peers + 1) {
    add_by_distance(topology, members, flow, all);
    return all;
  }
  const std::vector<std::span<const int>> parts = members_by_node(topology, members);
  for (const std::span<const int> part : parts)
    if (part.size() > 1) add_by_distance(topology, part, flow, all);
  if (parts.size() > 1) add_between_nodes(topology, parts, members.size(), flow, all);
  return all;
}

std::vector<Connection> connections_between_nodes(const Topology& topology, CollectiveKind kind,
                                                  std::span<const int> devices) {
  std::vector<int> members(devices.begin(), devices.end());
  std::sort(members.begin(), members.end());
  if (members.size() < 2) return {};
  if (kind != CollectiveKind::all_to_all) {
    const bool closed = kind != CollectiveKind::broadcast && kind != CollectiveKind::reduce;
    return ring_connections(topology, members, closed);
  }
  std::vector<Connection> all = connections_to_peers(topology, members);
  std::erase_if(
      all, [&](const Connection& one) { return topology.node(one.from) == topology.node(one.to); });
  return all;
}

}  // namespace pipewright
