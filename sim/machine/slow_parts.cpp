#include "machine/slow_parts.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace pipewright {

namespace {

void require(bool there, const config::Mark& mark, const char* what, int number, size_t count) {
  if (there) return;
  throw InputError(mark.where(),
                   fmt::format("{} {} is not there: the cluster has {}", what, number, count));
}

}  // namespace

std::vector<double> slowdowns(const Stragglers& stragglers, const Cluster& cluster) {
  std::vector<double> by_device;
  if (stragglers.slow.empty() && cluster.speeds.empty()) return by_device;
  by_device.assign(static_cast<size_t>(cluster.devices()), 1);
  for (size_t device = 0; device < cluster.speeds.size(); ++device)
    by_device[device] = 1 / cluster.speeds[device];
  for (const Stragglers::Slow& slow : stragglers.slow) {
    const size_t count = slow.whole_node ? cluster.nodes.size() : by_device.size();
    require(static_cast<size_t>(slow.number) < count, slow.mark,
            slow.whole_node ? "node" : "device", slow.number, count);
    for (int device = 0; device < cluster.devices(); ++device) {
      const int number = slow.whole_node ? cluster.node_of[device] : device;
      if (number == slow.number) by_device[device] = slow.slowdown;
    }
  }
  return by_device;
}

Topology narrowed(const Stragglers& stragglers, const Topology& topology) {
  if (stragglers.narrow.empty()) return topology;
  Wiring wiring{{topology.vertices().begin(), topology.vertices().end()},
                {topology.links().begin(), topology.links().end()},
                {}};
  const auto devices = static_cast<size_t>(topology.devices());
  for (size_t device = 0; device < devices; ++device)
    wiring.devices.push_back(topology.vertex(static_cast<int>(device)));
  for (const Stragglers::Narrow& narrow : stragglers.narrow) {
    for (const int end : {narrow.from, narrow.to})
      require(static_cast<size_t>(end) < devices, narrow.mark, "device", end, devices);
    for (const LinkId id : topology.route(narrow.from, narrow.to).links) {
      const bool both = wiring.links[id].sharing == Sharing::shared;
      for (const LinkId link : {id, opposite(id)})
        if (link == id || both) wiring.links[link].bandwidth.bytes_per_s *= narrow.bandwidth;
    }
  }
  return Topology(std::move(wiring));
}

}  // namespace pipewright
