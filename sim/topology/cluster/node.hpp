// A kind of node: so many devices of one kind and what joins them.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "config/value.hpp"
#include "topology/device.hpp"
#include "topology/shapes/shapes.hpp"

namespace pipewright {

/// The host that devices copy to when their own memory is too small.
struct Host {
  /// The bandwidth of all sockets together, read and written; unbounded where nobody says.
  Bandwidth memory_bandwidth{std::numeric_limits<double>::infinity()};
  std::optional<LinkType> link;  ///< from a device, where it is not that to the NIC
  int devices = 0;               ///< of one operating system; 0: all that the node has
};

struct NodeType {
  std::string name;
  std::string description;
  Device device;
  bool has_device = true;  ///< the file says which: without one, links alone can be studied
  int devices = 1;
  std::optional<double> price_per_hour;  ///< of the whole node, in US dollars
  const NodeShape* shape = nullptr;
  LinkType link;       ///< all that one device has towards the others of its node
  LinkType host_link;  ///< from a device to its host and its NIC
  Host host;
  config::Value interconnect;    ///< where `shape` was named
  std::vector<GraphLink> graph;  ///< of an interconnect that is drawn link by link
  config::Value fabric;          ///< what usually joins such nodes; null where nothing is usual
};

/// Reads a node: a catalogue name, the path of a YAML file, or a map.
NodeType read_node(const config::Value& value, const config::Catalogue& catalogue);

/// Lays one node, of whose devices the first `used` are used.
NodeWiring wire_node(Wiring& wiring, const NodeType& type, NodeId node, int used);

}  // namespace pipewright
