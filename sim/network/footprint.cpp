// A ring moves at the pace of its slowest edge, so all its bytes are one footprint: a share of 1 on
// every link of the route from a member to the next; in fractions where several links or rails are
// used side by side. See ring.cpp for how it lies.
#include "network/footprint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/required.hpp"
#include "network/connections.hpp"
#include "topology/host_route.hpp"

namespace pipewright {
namespace {

/// Adds what `share` of the bytes puts on the routes of one connection. Inside a node nothing is
/// drawn.
void add_routes(int from, int to, uint64_t flow, double share, SpreadRoutes& routes,
                std::vector<LinkShare>& shares) {
  const Topology& topology = routes.topology();
  const bool inside = topology.node(from) == topology.node(to);
  const std::vector<Route> taken =
      inside ? std::vector{topology.route(from, to)} : routes.of(from, to, flow);
  for (const Route& route : taken)
    for (const LinkId link : route.links)
      shares.push_back({link, share / static_cast<double>(taken.size())});
}

std::vector<LinkShare> peer_shares(std::span<const int> members, SpreadRoutes& routes) {
  std::vector<LinkShare> shares;
  for (const Connection& one : connections_to_peers(routes.topology(), members)) {
    if (one.origin >= 0) add_routes(one.origin, one.from, one.flow, one.share, routes, shares);
    add_routes(one.from, one.to, one.flow, one.share, routes, shares);
  }
  return shares;
}

/// Bytes that each edge of the ring carries, for each byte of the buffer.
double ring_volume(CollectiveKind kind, double n) {
  switch (kind) {
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
      return (n - 1) / n;
    case CollectiveKind::all_reduce:
      return 2 * (n - 1) / n;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::shift:
    case CollectiveKind::all_to_all:
      break;
  }
  return 1;
}

}  // namespace

std::vector<LinkShare> merged(const Topology& topology, std::vector<LinkShare> shares) {
  for (LinkShare& share : shares)
    if (topology.links()[share.link].sharing == Sharing::shared)
      share.link = std::min(share.link, opposite(share.link));
  std::erase_if(shares, [&](const LinkShare& share) {
    return std::isinf(topology.links()[share.link].bandwidth.bytes_per_s);
  });
  std::stable_sort(shares.begin(), shares.end(),
                   [](const LinkShare& a, const LinkShare& b) { return a.link < b.link; });
  std::vector<LinkShare> sums;
  for (const LinkShare& share : shares) {
    if (sums.empty() || sums.back().link != share.link)
      sums.push_back(share);
    else
      sums.back().share += share.share;
  }
  return sums;
}

LinkFootprint message_footprint(const Topology& topology, int from, int to,
                                const Spreading& spreading) {
  SpreadRoutes routes(topology, spreading);
  std::vector<LinkShare> shares;
  add_routes(from, to, 0, 1, routes, shares);
  LinkFootprint footprint{1, topology.route(from, to).bottleneck.bytes_per_s,
                          merged(topology, std::move(shares))};
  if (spreading.how == Spreading::How::first || footprint.shares.empty()) return footprint;
  footprint.bandwidth = std::numeric_limits<double>::infinity();
  for (const LinkShare& share : footprint.shares)
    footprint.bandwidth = std::min(
        footprint.bandwidth, topology.links()[share.link].bandwidth.bytes_per_s / share.share);
  return footprint;
}

LinkFootprint host_footprint(const Topology& topology, int device, bool to_host) {
  const Route route =
      required(host_route(topology, device), "a device copies to a host that it has");
  std::vector<LinkShare> shares;
  for (const LinkId link : route.links) shares.push_back({to_host ? link : opposite(link), 1});
  return {1, route.bottleneck.bytes_per_s, merged(topology, std::move(shares))};
}

LinkFootprint collective_footprint(const Topology& topology, CollectiveKind kind,
                                   std::span<const int> devices, const Spreading& spreading) {
  SpreadRoutes routes(topology, spreading);
  const auto n = static_cast<double>(devices.size());
  const Ring ring = find_ring(topology, devices);
  if (kind == CollectiveKind::all_to_all) {
    std::vector<int> members(devices.begin(), devices.end());
    std::sort(members.begin(), members.end());
    return {1 / n, 1 / ring.peers_s_per_byte, merged(topology, peer_shares(members, routes))};
  }
  const bool closed = kind != CollectiveKind::broadcast && kind != CollectiveKind::reduce;
  return {ring_volume(kind, n), 1 / ring.seconds_per_byte,
          merged(topology, ring_shares(devices, closed, routes))};
}

double moving_on_links_s(const Topology& topology, const LinkFootprint& footprint, Bytes bytes,
                         double moving_s) {
  double busiest_s = 0;  // for each byte of the footprint
  for (const LinkShare& share : footprint.shares)
    busiest_s =
        std::max(busiest_s, share.share / topology.links()[share.link].bandwidth.bytes_per_s);
  // Algorithms that send less than a ring are faster than one, but no link is.
  const double sent =
      std::min(static_cast<double>(bytes.count) * footprint.volume, moving_s * footprint.bandwidth);
  return std::max(moving_s, sent * busiest_s);
}

}  // namespace pipewright
