#include "topology/cluster/hosts.hpp"

#include <numeric>
#include <span>

#include "topology/cluster/node.hpp"

namespace pipewright {
namespace {

constexpr int64_t most = 1'048'576;

/// Returns the devices of a host of one group of nodes, which is a cluster or one of its groups.
int64_t of_group(const config::Value& group, const config::Catalogue& catalogue) {
  const config::Value* node = group.find("node");
  if (!node) return 0;
  const NodeType type = read_node(*node, catalogue);
  const config::Value* nodes = group.find("nodes");
  const config::Value* devices = group.find("devices");
  const int64_t count = nodes ? config::as_int(*nodes, 1, most) : 1;
  const int64_t used = devices ? config::as_int(*devices, 1, most) / count : type.devices;
  const int64_t each = type.host.devices;
  return each == 0 || used <= each ? used : std::gcd(used, each);
}

}  // namespace

int devices_of_a_host(const config::Value& cluster, const config::Catalogue& catalogue) {
  const config::Value entry = catalogue.resolve("clusters", cluster);
  const config::Value* groups = entry.find("groups");
  const std::span<const config::Value> all =
      groups ? std::span<const config::Value>(groups->items) : std::span(&entry, 1);
  int64_t devices = 0;
  for (const config::Value& group : all) devices = std::gcd(devices, of_group(group, catalogue));
  return static_cast<int>(devices);
}

}  // namespace pipewright
