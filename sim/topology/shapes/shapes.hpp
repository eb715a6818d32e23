// Shapes in which the devices of a node, and nodes, are joined: one file for each shape, found by
// the name that a file gives as `kind:`.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/value.hpp"
#include "topology/graph.hpp"
#include "topology/wiring.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}

/// One node, as far as it is laid.
struct NodeWiring {
  NodeId node = 0;
  std::vector<VertexId> devices;          ///< those that are used: the first of the node's slots
  int slots = 1;                          ///< devices that the node has
  int nics = 0;                           ///< that the node usually has; 0: one for each slot
  LinkType host_link;                     ///< from a device to its host and its NIC
  std::span<const GraphLink> graph = {};  ///< as drawn, for the shape that wants it
  std::vector<VertexId> own_nics = {};    ///< that the shape laid, by number; else the fabric does
};

/// A shape that joins the devices of one node.
struct NodeShape {
  std::string_view name;
  std::string_view description;
  int most_devices;
  /// `link` is all that one device has; `at` is where the user wrote it.
  void (*wire)(Wiring& wiring, NodeWiring& node, const LinkType& link, const config::Value& at);
};

/// A shape that joins nodes. `options` is the map that names the shape.
struct FabricShape {
  std::string_view name;
  std::string_view description;
  void (*wire)(Wiring& wiring, std::span<const NodeWiring> nodes, const config::Value& options,
               const config::Catalogue& catalogue);
};

/// The shape that `options` names under `kind`. Throws InputError with the nearest name.
const NodeShape& node_shape(const config::Value& options);
const FabricShape& fabric_shape(const config::Value& options);

/// A non-blocking switch: `link` is one device's port, its latency counted from end to end.
void wire_switch(Wiring& wiring, std::span<const VertexId> devices, const LinkType& link);

/// A value for each pair of n devices, at from * n + to.
struct PairTable {
  std::vector<Time> latency;
  std::vector<Bandwidth> bandwidth;
};

/// A link of its own between every two devices.
void wire_matrix(Wiring& wiring, std::span<const VertexId> devices, const PairTable& table);

/// One NIC and what hangs on it.
struct Nic {
  VertexId vertex = 0;
  int rail = 0;  ///< its number in the node
  Bandwidth bandwidth;
};

/// Adds the NICs of one node, `count` in the whole node, each with bandwidth `link`, and joins each
/// device to the one for its slot. Where there are more NICs than slots, those of a slot are one
/// with the sum of their bandwidths. NICs of slots that are not used are left out. A node that has
/// laid its own NICs keeps them, each with its part of what `count` have.
std::vector<Nic> add_nics(Wiring& wiring, const NodeWiring& node, int count, const LinkType& link);

/// Adds `count` NICs that together have the bandwidth of `all` and reach `router` at once.
void attach_nics(Wiring& wiring, const NodeWiring& node, VertexId router, int count,
                 const LinkType& all);

/// The two links into and out of a switch that together have the latency of `link`.
struct Halves {
  LinkType in, out;
};
Halves halves(const LinkType& link);

}  // namespace pipewright
