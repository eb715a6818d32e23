#include "topology/dealt_nics.hpp"

#include <algorithm>

namespace pipewright {
namespace {

/// Returns the NICs nearest to a device, by number.
std::vector<VertexId> nearest_nics(const Wiring& wiring, const Searches& searches,
                                   VertexId device) {
  const Searches::Search search = searches.in_node(device, SearchWay::from_source);
  std::vector<VertexId> nearest;
  RouteCost best = unreachable;
  for (const LinkId exit : searches.exits(wiring.vertices[device].node)) {
    const VertexId nic = wiring.links[exit].from;
    if (wiring.vertices[nic].kind != VertexKind::nic) continue;
    const RouteCost cost = searches.cost(search, nic);
    if (!cost.reachable() || best < cost) continue;
    if (cost < best) nearest.clear();
    best = cost;
    if (std::ranges::find(nearest, nic) == nearest.end()) nearest.push_back(nic);
  }
  std::ranges::sort(nearest, {}, [&](VertexId nic) { return wiring.vertices[nic].index; });
  return nearest;
}

/// Returns the devices of the node of `device`, which have numbers in a row.
std::vector<VertexId> devices_beside(const Wiring& wiring, VertexId device) {
  const NodeId node = wiring.vertices[device].node;
  const auto is_there = [&](size_t number) {
    return wiring.vertices[wiring.devices[number]].node == node;
  };
  size_t number = wiring.vertices[device].index;
  while (number > 0 && is_there(number - 1)) --number;
  std::vector<VertexId> devices;
  for (; number < wiring.devices.size() && is_there(number); ++number)
    devices.push_back(wiring.devices[number]);
  return devices;
}

/// A place among the devices to which the same NICs are nearest.
struct Turn {
  size_t place = 0, devices = 0;

  bool takes(size_t nic, size_t nics) const {
    return nics < devices ? nic == place % nics : nic * devices / nics == place;
  }
};

}  // namespace

std::vector<VertexId> dealt_to_others(const Wiring& wiring, const Searches& searches,
                                      VertexId device) {
  const std::vector<VertexId> nics = nearest_nics(wiring, searches, device);
  if (nics.size() < 2) return {};
  Turn turn;
  for (const VertexId other : devices_beside(wiring, device)) {
    if (other == device) turn.place = turn.devices;
    if (other == device || nearest_nics(wiring, searches, other) == nics) ++turn.devices;
  }
  std::vector<VertexId> others;
  for (size_t nic = 0; nic < nics.size(); ++nic)
    if (!turn.takes(nic, nics.size())) others.push_back(nics[nic]);
  return others;
}

}  // namespace pipewright
