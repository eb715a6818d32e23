// A cluster as the user names or describes it: which devices, in which nodes, joined how.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/value.hpp"
#include "topology/cluster/nccl_release.hpp"
#include "topology/device.hpp"
#include "topology/topology.hpp"

namespace pipewright {

struct ClusterNode {
  std::string type;  ///< "dgx-a100-80g"; "device" where devices stand for themselves
  int first_device = 0;
  int devices = 1;                       ///< that are used
  int nics = 0;                          ///< that these devices use
  std::optional<double> price_per_hour;  ///< of a node that is rented whole, in US dollars
  Bandwidth host_memory{std::numeric_limits<double>::infinity()};  ///< unbounded: not known
};

struct Cluster {
  std::string name;
  std::string description;
  std::vector<Device> device_types;  ///< empty where the file says nothing of the devices
  std::vector<int> type_of;          ///< by device; empty with `device_types`
  std::vector<ClusterNode> nodes;
  std::vector<int> node_of;     ///< by device
  std::vector<double> speeds;   ///< by device, how fast it computes; empty: each as its kind does
  double oversubscription = 1;  ///< of the fabric
  int nccl = todays_nccl;       ///< the release that runs on it
  Topology topology;
  /// What the fabric says was measured on it: a path, or the profile itself.
  std::optional<config::Value> measured;

  /// Returns what an hour of these devices costs in US dollars; 0 where one of them has no price. A
  /// node that has a price is rented whole, however few of its devices are among them.
  double price_per_hour(std::span<const int32_t> numbers) const;

  int devices() const { return static_cast<int>(node_of.size()); }
  /// nullptr where the file says nothing of the devices.
  const Device* device(int number) const {
    return type_of.empty() ? nullptr : &device_types[static_cast<size_t>(type_of[number])];
  }
};

inline constexpr int most_devices_of_cluster = 131'072;

/// Reads a cluster: a catalogue name, the path of a YAML file, or a map. Devices are numbered from
/// 0, node by node. Throws InputError.
Cluster read_cluster(const config::Value& value, const config::Catalogue& catalogue);

}  // namespace pipewright
