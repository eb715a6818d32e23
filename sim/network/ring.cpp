// A ring as NCCL lays it: node by node, inside a node along the direct links or over its switch,
// between nodes from NIC r to NIC r, with one ring (rail) for each NIC at once.
//
// Bandwidth of the ring is that of its slowest place:
//   inside a node, direct links   the sum over a member's direct links to other members, least
//                                 member; only where they close a ring (two neighbours each)
//   inside a node, else           the bottleneck of the route to the next member
//   leaving or entering a node    the sum over members of min(host link, NIC / devices on the NIC)
//   between two nodes             members of the smaller share times the bottleneck of one route
// So a group with g members on a node drives the NICs of all g, and a device alone on its node
// gets its part of a NIC: every device is taken to belong to a group that does the same just then,
// as in training that shards all devices alike. The fabric is not shared otherwise.
//
// Latency of n - 1 steps is the sum over the ring's edges less the least of them, as the last step
// of the slowest chain has been on all edges but one. With equal edges that is (n - 1) alpha.
//
// To all peers at once: messages to peers with a direct link go over it; the others share the
// device's way out. Members of one node are taken to be alike. Time inside and between nodes
// overlap.
#include "network/ring.hpp"

#include <algorithm>
#include <vector>

#include "network/connections.hpp"

namespace pipewright {
namespace {

using Share = std::span<const int>;  // members on one node

/// The links of one member towards the others of its share.
struct Inside {
  double edge_latency_s = 0;
  double ring_bandwidth = std::numeric_limits<double>::infinity();
  double peers_s_per_byte = 0;
};

/// The links that join a share to the next.
struct Across {
  double latency_s = 0;
  double ring_bandwidth = std::numeric_limits<double>::infinity();
  double peer_bandwidth = std::numeric_limits<double>::infinity();  ///< of one member
};

struct DirectLinks {
  int count = 0;
  double bandwidth = 0, slowest = std::numeric_limits<double>::infinity();
  Time latency;
};

bool contains(Share share, const Vertex& vertex) {
  return vertex.kind == VertexKind::device &&
         std::binary_search(share.begin(), share.end(), static_cast<int>(vertex.index));
}

DirectLinks direct_links(const Topology& topology, Share share, int member) {
  DirectLinks direct;
  for (const LinkId id : topology.links_of(topology.vertex(member))) {
    const Link& link = topology.links()[id];
    if (!contains(share, topology.vertices()[link.to])) continue;
    ++direct.count;
    direct.bandwidth += link.bandwidth.bytes_per_s;
    direct.slowest = std::min(direct.slowest, link.bandwidth.bytes_per_s);
    direct.latency = std::max(direct.latency, link.latency);
  }
  return direct;
}

double latency_s(const Route& route) { return in_seconds(route.latency); }

/// The bandwidth of a member's part of its NIC; unbounded where it has none.
double nic_part(const Topology& topology, int member) {
  for (const LinkId id : topology.links_of(topology.vertex(member))) {
    const Link& link = topology.links()[id];
    if (topology.vertices()[link.to].kind != VertexKind::nic) continue;
    double uplink = 0;
    int devices = 0;
    for (const LinkId leaving : topology.links_of(link.to)) {
      const Link& port = topology.links()[leaving];
      if (topology.vertices()[port.to].kind == VertexKind::device)
        ++devices;
      else
        uplink += port.bandwidth.bytes_per_s;
    }
    return std::min(link.bandwidth.bytes_per_s, uplink / devices);
  }
  return std::numeric_limits<double>::infinity();
}

double nic_parts(const Topology& topology, Share share) {
  double sum = 0;
  for (const int member : share) sum += nic_part(topology, member);
  return sum;
}

/// The member after `member`, the first after the last; skips those with a direct link.
int next_by_switch(const Topology& topology, Share share, size_t member) {
  const std::span<const LinkId> links = topology.links_of(topology.vertex(share[member]));
  for (size_t step = 1; step < share.size(); ++step) {
    const int other = share[(member + step) % share.size()];
    const bool direct = std::any_of(links.begin(), links.end(), [&](LinkId link) {
      return topology.links()[link].to == topology.vertex(other);
    });
    if (!direct) return other;
  }
  return share[(member + 1) % share.size()];
}

Inside look_inside(const Topology& topology, Share share, size_t member) {
  const int peers = static_cast<int>(share.size()) - 1;
  const DirectLinks direct = direct_links(topology, share, share[member]);
  Inside inside;
  if (direct.count > 0) inside.peers_s_per_byte = 1 / direct.slowest;
  if (direct.count < peers) {
    const Route route = topology.route(share[member], next_by_switch(topology, share, member));
    const double shared = (peers - direct.count) / route.bottleneck.bytes_per_s;
    inside.peers_s_per_byte = std::max(inside.peers_s_per_byte, shared);
  }
  if (direct.count >= std::min(peers, 2)) {
    inside.edge_latency_s = in_seconds(direct.latency);
    inside.ring_bandwidth = direct.bandwidth;
  } else {
    const Route route = topology.route(share[member], share[(member + 1) % share.size()]);
    inside.edge_latency_s = latency_s(route);
    inside.ring_bandwidth = route.bottleneck.bytes_per_s;
  }
  return inside;
}

Across look_across(const Topology& topology, Share share, Share next) {
  const Route route = topology.route(share.front(), next.front());
  const double rail = route.bottleneck.bytes_per_s;
  const double members = static_cast<double>(share.size());
  const double both = std::min(members, static_cast<double>(next.size()));
  const double leaving = nic_parts(topology, share), entering = nic_parts(topology, next);
  return {.latency_s = latency_s(route),
          .ring_bandwidth = std::min({leaving, entering, both * rail}),
          .peer_bandwidth = std::min(leaving / members, rail)};
}

/// Collects the edges and the slowest places of a ring.
struct RingBuilder {
  Ring ring;
  double sum_s = 0, least_s = std::numeric_limits<double>::infinity();

  void edge(double latency, double bandwidth) {
    sum_s += latency;
    least_s = std::min(least_s, latency);
    ring.seconds_per_byte = std::max(ring.seconds_per_byte, 1 / bandwidth);
  }
  void peers(double latency, double per_byte) {
    ring.peers_latency_s = std::max(ring.peers_latency_s, latency);
    ring.peers_s_per_byte = std::max(ring.peers_s_per_byte, per_byte);
  }
};

void add_share(RingBuilder& builder, const Topology& topology, Share share, Share next) {
  const bool alone = share.data() == next.data();
  const double inner = static_cast<double>(share.size()) - 1;
  const double outer = builder.ring.size - static_cast<double>(share.size());
  double inside_latency = 0, inside_per_byte = 0;
  if (share.size() > 1) {
    for (size_t member = 0; member < share.size(); ++member) {
      const Inside inside = look_inside(topology, share, member);
      // The last member's edge leads out of the node, unless the whole ring is in it.
      if (alone || member + 1 < share.size())
        builder.edge(inside.edge_latency_s, inside.ring_bandwidth);
      inside_latency = std::max(inside_latency, inside.edge_latency_s);
      inside_per_byte = std::max(inside_per_byte, inside.peers_s_per_byte);
    }
  }
  Across across;
  if (!alone) {
    across = look_across(topology, share, next);
    builder.edge(across.latency_s, across.ring_bandwidth);
  }
  builder.peers(inner * inside_latency + outer * across.latency_s,
                std::max(inside_per_byte, outer / across.peer_bandwidth));
}

/// Adds what a member sends to others of its node, `part` of all: over its direct links or to the
/// next.
void share_inside(const Topology& topology, Share share, size_t member, double part,
                  std::vector<LinkShare>& shares) {
  const int peers = static_cast<int>(share.size()) - 1;
  const DirectLinks direct = direct_links(topology, share, share[member]);
  if (direct.count < std::min(peers, 2)) {
    const Route route = topology.route(share[member], share[(member + 1) % share.size()]);
    for (const LinkId link : route.links) shares.push_back({link, part});
    return;
  }
  for (const LinkId id : topology.links_of(topology.vertex(share[member]))) {
    const Link& link = topology.links()[id];
    if (contains(share, topology.vertices()[link.to]))
      shares.push_back({id, part * link.bandwidth.bytes_per_s / direct.bandwidth});
  }
}

/// Adds, between two nodes, a rail from each member of the smaller share.
void share_across(SpreadRoutes& routes, Share share, Share next, uint64_t flow,
                  std::vector<LinkShare>& shares) {
  const auto rails = static_cast<double>(std::min(share.size(), next.size()));
  for (const Connection& rail : rails_between(share, next, flow)) {
    const std::vector<Route> taken = routes.of(rail.from, rail.to, rail.flow);
    for (const Route& route : taken)
      for (const LinkId link : route.links)
        shares.push_back({link, 1 / (rails * static_cast<double>(taken.size()))});
  }
}

}  // namespace

Ring find_ring(const Topology& topology, std::span<const int> devices) {
  std::vector<int> members(devices.begin(), devices.end());
  std::sort(members.begin(), members.end());
  RingBuilder builder;
  builder.ring.size = static_cast<int>(members.size());
  if (members.size() < 2) return builder.ring;
  const std::vector<Share> shares = members_by_node(topology, members);
  for (size_t k = 0; k < shares.size(); ++k)
    add_share(builder, topology, shares[k], shares[(k + 1) % shares.size()]);
  builder.ring.latency_s = builder.sum_s - builder.least_s;
  return builder.ring;
}

std::vector<LinkShare> ring_shares(std::span<const int> devices, bool closed,
                                   SpreadRoutes& routes) {
  const Topology& topology = routes.topology();
  std::vector<int> members(devices.begin(), devices.end());
  std::sort(members.begin(), members.end());
  std::vector<LinkShare> link_shares;
  if (members.size() < 2) return link_shares;
  const std::vector<Share> shares = members_by_node(topology, members);
  if (shares.size() == 1) {
    for (size_t member = 0; member + (closed ? 0 : 1) < members.size(); ++member)
      share_inside(topology, shares[0], member, 1, link_shares);
    return link_shares;
  }
  const uint64_t flow = flow_of(members);
  for (size_t k = 0; k < shares.size(); ++k) {
    // Each rail goes around in every node and leaves out the edge back to where it came in.
    const double inner = static_cast<double>(shares[k].size()) - 1;
    for (size_t member = 0; inner > 0 && member < shares[k].size(); ++member)
      share_inside(topology, shares[k], member, inner / (inner + 1), link_shares);
    if (closed || k + 1 < shares.size())
      share_across(routes, shares[k], shares[(k + 1) % shares.size()], flow, link_shares);
  }
  return link_shares;
}

std::vector<LinkShare> rail_shares(std::span<const int> devices, SpreadRoutes& routes) {
  std::vector<int> members(devices.begin(), devices.end());
  std::sort(members.begin(), members.end());
  std::vector<LinkShare> all;
  if (members.size() < 2) return all;
  const std::vector<Share> shares = members_by_node(routes.topology(), members);
  const uint64_t flow = flow_of(members);
  for (size_t k = 0; shares.size() > 1 && k < shares.size(); ++k)
    share_across(routes, shares[k], shares[(k + 1) % shares.size()], flow, all);
  return all;
}

}  // namespace pipewright
