#include "network/nccl/model.hpp"

#include <algorithm>

#include "network/collectives/collective.hpp"

namespace pipewright {
namespace {

bool on_switch(const Topology& topology, int device) {
  const auto links = topology.links_of(topology.vertex(device));
  return std::any_of(links.begin(), links.end(), [&](LinkId id) {
    const Link& link = topology.links()[id];
    return topology.vertices()[link.to].kind == VertexKind::node_switch &&
           link.kind != LinkKind::pcie;
  });
}

bool has_nvlink(const Topology& topology, int device) {
  const auto links = topology.links_of(topology.vertex(device));
  return std::any_of(links.begin(), links.end(), [&](LinkId id) {
    const LinkKind kind = topology.links()[id].kind;
    return kind == LinkKind::nvlink || kind == LinkKind::xgmi;
  });
}

}  // namespace

NcclRequest request_on(const Topology& topology, std::span<const int> devices) {
  const collective::Members members = collective::members_on(topology, devices);
  const Ring ring = find_ring(topology, members.devices);
  NcclRequest request;
  request.ranks = members.size();
  request.nodes = members.node_count();
  request.on_switch = on_switch(topology, members.devices.front());
  request.nvlink = has_nvlink(topology, members.devices.front());
  request.ring_bandwidth = 1 / ring.seconds_per_byte;
  if (request.nodes > 1) {
    const int next_node = members.devices[static_cast<size_t>(members.nodes[1])];
    const Route route = topology.route(members.devices[0], next_node);
    request.network_hop_s = in_seconds(route.latency);
    request.over_efa = std::any_of(route.links.begin(), route.links.end(), [&](LinkId id) {
      return topology.links()[id].kind == LinkKind::efa;
    });
  }
  return request;
}

NcclTime CollectiveTimes::neighbour_time(int from_device, int to_device, Bytes bytes) const {
  const int pair[] = {from_device, to_device};
  NcclRequest request = memo_->request(topology_, pair);
  request.bytes = bytes;
  return nccl_message_time(*profile_, request);
}

/// A message has the links of its route to itself. What shares them with others at the same time is
/// the matter of flows.
NcclTime CollectiveTimes::message_time(int from_device, int to_device, Bytes bytes) const {
  const int pair[] = {from_device, to_device};
  NcclRequest request = memo_->request(topology_, pair);
  request.bytes = bytes;
  if (request.nodes > 1)
    request.ring_bandwidth = topology_.route(from_device, to_device).bottleneck.bytes_per_s;
  return nccl_message_time(*profile_, request);
}

NcclRequest CollectiveTimes::group_request(CollectiveKind kind, std::span<const int> devices,
                                           Bytes bytes) const {
  NcclRequest request = memo_->request(topology_, devices);
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

NcclTime CollectiveTimes::group_time(CollectiveKind kind, std::span<const int> devices,
                                     Bytes bytes) const {
  if (kind == CollectiveKind::shift) return shift_time(devices, bytes);
  return nccl_time(*profile_, group_request(kind, devices, bytes));
}

int CollectiveTimes::channels(CollectiveKind kind, std::span<const int> devices,
                              Bytes bytes) const {
  return choose(profile_->tuning, group_request(kind, devices, bytes)).channels;
}

Time CollectiveTimes::transfer(int from_device, int to_device, Bytes bytes) const {
  if (!profile_ || from_device == to_device) return links_.transfer(from_device, to_device, bytes);
  return seconds(message_time(from_device, to_device, bytes).total_s());
}

Time CollectiveTimes::collective(CollectiveKind kind, std::span<const int> devices,
                                 Bytes bytes) const {
  if (!profile_ || devices.size() < 2) return links_.collective(kind, devices, bytes);
  return seconds(group_time(kind, devices, bytes).total_s());
}

double CollectiveTimes::moving_s(int from_device, int to_device, Bytes bytes) const {
  return message_time(from_device, to_device, bytes).moving_s;
}

double CollectiveTimes::moving_s(CollectiveKind kind, std::span<const int> devices,
                                 Bytes bytes) const {
  return group_time(kind, devices, bytes).moving_s;
}

}  // namespace pipewright
