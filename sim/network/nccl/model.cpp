#include "network/nccl/model.hpp"

#include <algorithm>
#include <array>

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

NcclTime CollectiveTimes::group_time(const GroupProfiles& profiles, CollectiveKind kind,
                                     std::span<const int> devices, Bytes bytes) const {
  if (kind == CollectiveKind::shift) return shift_time(devices, bytes);
  return nccl_time(profiles, group_request(kind, devices, bytes));
}

std::optional<int> CollectiveTimes::channels(CollectiveKind kind, std::span<const int> devices,
                                             Bytes bytes) const {
  const GroupProfiles profiles = profiles_.of(devices);
  if (profiles.empty()) return std::nullopt;
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

double CollectiveTimes::factor(int from_device, int to_device, Bytes bytes) const {
  if (!measured_ || topology_.node(from_device) == topology_.node(to_device)) return 1;
  return measured_->factor("send_recv", 1, 2, static_cast<double>(bytes.count));
}

double CollectiveTimes::factor(CollectiveKind kind, std::span<const int> devices,
                               Bytes bytes) const {
  if (!measured_) return 1;
  const NcclRequest request = memo_->request(topology_, devices);
  return measured_->factor(operation_of(kind).name, std::max(1, request.ranks / request.nodes),
                           request.nodes, static_cast<double>(bytes.count));
}

void CollectiveTimes::measured(const NetworkProfile& profile) {
  measured_.reset();
  std::vector<std::vector<int>> nodes;
  for (int device = 0; device < topology_.devices(); ++device) {
    if (device == 0 || topology_.node(device) != topology_.node(device - 1)) nodes.emplace_back();
    nodes.back().push_back(device);
  }
  const auto predicted = [&](std::string_view name, int ranks_per_node, int count,
                             double bytes) -> std::optional<double> {
    const NcclOperation* operation = find_operation(name);
    if (!operation || static_cast<size_t>(count) > nodes.size()) return std::nullopt;
    std::vector<int> devices;
    for (int node = 0; node < count; ++node) {
      const std::vector<int>& all = nodes[static_cast<size_t>(node)];
      if (static_cast<size_t>(ranks_per_node) > all.size()) return std::nullopt;
      devices.insert(devices.end(), all.begin(), all.begin() + ranks_per_node);
    }
    if (devices.size() < 2) return std::nullopt;
    const Bytes size = Bytes{static_cast<int64_t>(bytes)};
    return (operation->kind ? modelled(*operation->kind, devices, size)
                            : modelled(devices.front(), devices.back(), size))
        .total_s();
  };
  const bool shared = expected_load(kind_between_nodes(topology_), 2) > 1;
  measured_ = std::make_shared<const MeasuredNetwork>(profile, predicted, shared);
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
