#include "network/nccl/model.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "network/collectives/collective.hpp"
#include "network/nccl/operations.hpp"
#include "network/other_jobs.hpp"
#include "topology/between_nodes.hpp"

namespace pipewright {
namespace {

bool is_on_switch(const Topology& topology, int device) {
  const auto links = topology.links_of(topology.vertex(device));
  return std::any_of(links.begin(), links.end(), [&](LinkId id) {
    const Link& link = topology.links()[id];
    return topology.vertices()[link.to].kind == VertexKind::node_switch &&
           link.kind != LinkKind::pcie;
  });
}

bool is_on_nvlink(const Topology& topology, int device) {
  const auto links = topology.links_of(topology.vertex(device));
  return std::any_of(links.begin(), links.end(), [&](LinkId id) {
    const LinkKind kind = topology.links()[id].kind;
    return kind == LinkKind::nvlink || kind == LinkKind::xgmi;
  });
}

/// The kind of the links between nodes, by which NCCL's plug-ins differ.
LinkKind fabric_on(const Topology& topology, const Route& route) {
  for (const LinkId id : route.links) {
    const Link& link = topology.links()[id];
    const bool leaves = topology.vertices()[link.from].node != topology.vertices()[link.to].node;
    if (leaves) return link.kind;
  }
  return LinkKind::other;
}

/// The bytes/s of all links that leave a node, by node.
std::vector<double> bandwidths_out(const Topology& topology) {
  std::vector<double> sums;
  for (const Link& link : topology.links()) {
    const NodeId from = topology.vertices()[link.from].node;
    if (from == fabric || from == topology.vertices()[link.to].node) continue;
    const auto node = static_cast<size_t>(from);
    if (sums.size() <= node) sums.resize(node + 1);
    sums[node] += link.bandwidth.bytes_per_s;
  }
  return sums;
}

/// Members on other nodes than one with the smallest share, to whom a member of it sends most.
double out_of_node_peers(const collective::Members& members) {
  int least = members.size();
  for (int node = 0; node < members.node_count(); ++node) {
    const auto first = static_cast<size_t>(node);
    least = std::min(least, members.nodes[first + 1] - members.nodes[first]);
  }
  return members.size() - least;
}

/// Bytes that leave each of `nodes` nodes at the least, for each byte of the operation: a node has
/// to send its part, its sum, or what its `ranks` ranks have for others.
double least_sent(CollectiveKind kind, double nodes, double ranks, LinkKind fabric) {
  const double others = (nodes - 1) / nodes;
  switch (kind) {
    case CollectiveKind::all_reduce:  // switches that add send each sum once
      return fabric == LinkKind::infiniband_sharp ? 1 : 2 * others;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
      return others;
    case CollectiveKind::all_to_all:
      return ranks * others;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::shift:
      return 1;
  }
  return 0;
}

}  // namespace

NcclRequest request_on(const Topology& topology, std::span<const int> devices) {
  const collective::Members members = collective::members_on(topology, devices);
  const Ring ring = find_ring(topology, members.devices);
  NcclRequest request;
  request.ranks = members.size();
  request.nodes = members.node_count();
  request.on_switch = std::ranges::all_of(
      members.devices, [&](int device) { return is_on_switch(topology, device); });
  request.nvlink = std::ranges::all_of(members.devices,
                                       [&](int device) { return is_on_nvlink(topology, device); });
  request.ring_bandwidth = 1 / ring.seconds_per_byte;
  if (request.nodes > 1) {
    const auto of_node = std::span(members.devices).first(static_cast<size_t>(members.nodes[1]));
    request.member_bandwidth = out_of_node_peers(members) / ring.peers_s_per_byte;
    if (of_node.size() > 1)
      request.node_bandwidth = 1 / find_ring(topology, of_node).seconds_per_byte;
    const int next_node = members.devices[static_cast<size_t>(members.nodes[1])];
    const Route route = topology.route(members.devices[0], next_node);
    request.network_hop_s = in_seconds(route.latency);
    request.fabric = fabric_on(topology, route);
  }
  return request;
}

NcclRequest CollectiveTimes::request_of(std::span<const int> devices) const {
  NcclRequest request = memo_->request(topology_, devices);
  request.beside_other_jobs = beside_other_jobs_;
  request.release = release_;
  return request;
}

NcclTime CollectiveTimes::neighbour_time(int from_device, int to_device, Bytes bytes) const {
  const int pair[] = {from_device, to_device};
  NcclRequest request = request_of(pair);
  request.bytes = bytes;
  return nccl_message_time(profiles_.of(pair), request);
}

/// A message has the links of its route to itself. What shares them with others at the same time is
/// the matter of flows.
NcclTime CollectiveTimes::message_time(const GroupProfiles& profiles, int from_device,
                                       int to_device, Bytes bytes) const {
  const int pair[] = {from_device, to_device};
  NcclRequest request = request_of(pair);
  request.bytes = bytes;
  request.ring_bandwidth = topology_.route(from_device, to_device).bottleneck.bytes_per_s;
  request.member_bandwidth = 0;  // all of the route's
  return nccl_message_time(profiles, request);
}

NcclRequest CollectiveTimes::group_request(CollectiveKind kind, std::span<const int> devices,
                                           Bytes bytes) const {
  NcclRequest request = request_of(devices);
  request.kind = kind;
  request.bytes = bytes;
  return request;
}

NcclTime CollectiveTimes::shift_time(std::span<const int> devices, Bytes bytes) const {
  NcclTime slowest = neighbour_time(devices.back(), devices.front(), bytes);
  for (size_t i = 1; i < devices.size(); ++i) {
    const NcclTime one = neighbour_time(devices[i - 1], devices[i], bytes);
    if (one.total_s() > slowest.total_s()) slowest = one;
  }
  return slowest;
}

/// Kernels start, and the first byte arrives, as those of NCCL do.
NcclTime CollectiveTimes::exchange_time(const Exchange& exchange, const GroupProfiles& profiles,
                                        NcclRequest request) const {
  const NcclFabric& fabric = fabric_of(profiles.front()->tuning, request.fabric);
  const double most = fabric.share[static_cast<size_t>(NcclProtocol::simple)];
  const double moving_s = exchange_moving_s(exchange, request, most);
  request.bytes = {};
  return {{}, times_->of(profiles, request).fixed_s, moving_s};
}

NcclTime CollectiveTimes::group_time(const GroupProfiles& profiles, CollectiveKind kind,
                                     std::span<const int> devices, Bytes bytes) const {
  if (kind == CollectiveKind::shift) return shift_time(devices, bytes);
  const NcclRequest request = group_request(kind, devices, bytes);
  if (kind == CollectiveKind::all_to_all && exchange_)
    return exchange_time(*exchange_, profiles, request);
  return times_->of(profiles, request);
}

std::optional<int> CollectiveTimes::channels(CollectiveKind kind, std::span<const int> devices,
                                             Bytes bytes) const {
  const GroupProfiles profiles = profiles_.of(devices);
  if (profiles.empty()) return std::nullopt;
  if (kind == CollectiveKind::all_to_all && exchange_) return exchange_->rates.processors;
  int most = 0;
  for (const CollectiveProfile* profile : profiles)
    most = std::max(most, choose(profile->tuning, group_request(kind, devices, bytes)).channels);
  return most;
}

NcclTime CollectiveTimes::modelled(int from_device, int to_device, Bytes bytes) const {
  const GroupProfiles profiles = profiles_.of(std::array{from_device, to_device});
  if (!profiles.empty()) return message_time(profiles, from_device, to_device, bytes);
  return {{}, 0, in_seconds(links_.transfer(from_device, to_device, bytes))};
}

NcclTime CollectiveTimes::modelled(CollectiveKind kind, std::span<const int> devices,
                                   Bytes bytes) const {
  const GroupProfiles profiles = profiles_.of(devices);
  if (!profiles.empty()) return group_time(profiles, kind, devices, bytes);
  return {{}, 0, in_seconds(links_.collective(kind, devices, bytes))};
}

double CollectiveTimes::least_s(int from_device, int to_device, Bytes bytes) const {
  return as_double(bytes.count) / topology_.route(from_device, to_device).bottleneck.bytes_per_s;
}

double CollectiveTimes::least_s(CollectiveKind kind, std::span<const int> devices,
                                Bytes bytes) const {
  const NcclRequest request = memo_->request(topology_, devices);
  double slowest = std::numeric_limits<double>::infinity();
  for (const int device : devices) {
    const auto node = static_cast<size_t>(topology_.node(device));
    if (node < out_of_node_.size() && out_of_node_[node] > 0)
      slowest = std::min(slowest, out_of_node_[node]);
  }
  const double ranks = static_cast<double>(request.ranks) / request.nodes;
  return as_double(bytes.count) * least_sent(kind, request.nodes, ranks, request.fabric) / slowest;
}

double CollectiveTimes::factor(int from_device, int to_device, Bytes bytes) const {
  if (!measured_ || topology_.node(from_device) == topology_.node(to_device)) return 1;
  const double factor = measured_factor("send_recv", 1, 2, bytes);
  if (factor >= 1) return factor;
  return std::max(factor, least_s(from_device, to_device, bytes) /
                              modelled(from_device, to_device, bytes).total_s());
}

double CollectiveTimes::factor(CollectiveKind kind, std::span<const int> devices,
                               Bytes bytes) const {
  if (!measured_) return 1;
  const NcclRequest request = memo_->request(topology_, devices);
  const double factor = measured_factor(
      operation_of(kind).name, std::max(1, request.ranks / request.nodes), request.nodes, bytes);
  if (factor >= 1 || request.nodes == 1) return factor;
  return std::max(factor, least_s(kind, devices, bytes) / modelled(kind, devices, bytes).total_s());
}

double CollectiveTimes::measured_factor(std::string_view operation, int ranks_per_node, int nodes,
                                        Bytes bytes) const {
  return measured_->factor(operation, ranks_per_node, nodes, as_double(bytes.count),
                           [&](auto&&... group) { return predicted_s(group...); });
}

std::vector<int> CollectiveTimes::members(int ranks_per_node, int nodes) const {
  std::vector<int> devices;
  for (size_t node = 0; node < static_cast<size_t>(nodes); ++node) {
    if (node >= devices_of_node_.size()) return {};
    const std::vector<int>& all = devices_of_node_[node];
    if (static_cast<size_t>(ranks_per_node) > all.size()) return {};
    devices.insert(devices.end(), all.begin(), all.begin() + ranks_per_node);
  }
  return devices;
}

std::optional<double> CollectiveTimes::predicted_s(std::string_view name, int ranks_per_node,
                                                   int nodes, double bytes) const {
  const NcclOperation* operation = find_operation(name);
  const std::vector<int> devices = members(ranks_per_node, nodes);
  if (!operation || devices.size() < 2) return std::nullopt;
  const Bytes size{static_cast<int64_t>(bytes)};
  return (operation->kind ? modelled(*operation->kind, devices, size)
                          : modelled(devices.front(), devices.back(), size))
      .total_s();
}

std::optional<double> CollectiveTimes::least_s(std::string_view name, int ranks_per_node, int nodes,
                                               double bytes) const {
  const NcclOperation* operation = find_operation(name);
  const std::vector<int> devices = members(ranks_per_node, nodes);
  if (!operation || nodes < 2 || devices.size() < 2) return std::nullopt;
  const Bytes size{static_cast<int64_t>(bytes)};
  return operation->kind ? least_s(*operation->kind, devices, size)
                         : least_s(devices.front(), devices.back(), size);
}

void CollectiveTimes::measured(const NetworkProfile& profile) {
  measured_.reset();
  devices_of_node_.clear();
  for (int device = 0; device < topology_.devices(); ++device) {
    if (device == 0 || topology_.node(device) != topology_.node(device - 1))
      devices_of_node_.emplace_back();
    devices_of_node_.back().push_back(device);
  }
  const bool shared = expected_load(kind_between_nodes(topology_), 2) > 1;
  out_of_node_ = bandwidths_out(topology_);
  measured_ = std::make_shared<const MeasuredNetwork>(
      profile, [&](auto&&... group) { return predicted_s(group...); }, shared,
      [&](auto&&... group) { return least_s(group...); });
}

Time CollectiveTimes::transfer(int from_device, int to_device, Bytes bytes) const {
  if (from_device == to_device) return links_.transfer(from_device, to_device, bytes);
  return seconds(modelled(from_device, to_device, bytes).total_s() *
                 factor(from_device, to_device, bytes));
}

Time CollectiveTimes::collective(CollectiveKind kind, std::span<const int> devices,
                                 Bytes bytes) const {
  if (devices.size() < 2) return links_.collective(kind, devices, bytes);
  return seconds(modelled(kind, devices, bytes).total_s() * factor(kind, devices, bytes));
}

std::optional<double> CollectiveTimes::moving_s(int from_device, int to_device, Bytes bytes) const {
  const GroupProfiles profiles = profiles_.of(std::array{from_device, to_device});
  if (profiles.empty()) return std::nullopt;
  return message_time(profiles, from_device, to_device, bytes).moving_s *
         factor(from_device, to_device, bytes);
}

std::optional<double> CollectiveTimes::moving_s(CollectiveKind kind, std::span<const int> devices,
                                                Bytes bytes) const {
  const GroupProfiles profiles = profiles_.of(devices);
  if (profiles.empty()) return std::nullopt;
  return group_time(profiles, kind, devices, bytes).moving_s * factor(kind, devices, bytes);
}

}  // namespace pipewright
