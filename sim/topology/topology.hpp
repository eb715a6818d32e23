// What is joined to what, and by which route bytes go. Immutable; may be read from several threads.
//
// Devices and NICs do not forward: a route leaves a node through one of its NICs, passes switches
// that belong to no node, and enters the other node through one of its NICs. So a route is put
// together from a search in each of the two nodes and a path across the fabric, and nothing the
// size of devices squared is ever held.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "topology/wiring.hpp"

namespace pipewright {

class PathCounts;

/// The route from one device to another: fewest links between groups, then fewest links of
/// hosts, then least latency, then fewest links, then lowest link numbers.
struct Route {
  std::vector<LinkId> links;
  Time latency;
  Bandwidth bottleneck{std::numeric_limits<double>::infinity()};
};

class Topology {
 public:
  Topology() : Topology(Wiring{}) {}
  explicit Topology(Wiring wiring);

  int devices() const { return static_cast<int>(wiring().devices.size()); }
  std::span<const Vertex> vertices() const { return wiring().vertices; }
  std::span<const Link> links() const { return wiring().links; }
  VertexId vertex(int device) const { return wiring().devices[static_cast<size_t>(device)]; }
  NodeId node(int device) const { return vertices()[vertex(device)].node; }
  /// Links that start at a vertex, in ascending order.
  std::span<const LinkId> links_of(VertexId vertex) const;

  /// Returns the route; it is empty when both are the same device. Throws Failure naming the two
  /// devices when there is none.
  Route route(int from, int to) const;
  /// All routes as short and as quick as that one, which is the first; at most `most`. Parallel
  /// links that a shape has made one of, as the spines of a fat-tree, are one route.
  std::vector<Route> equal_cost_routes(int from, int to, size_t most = 64) const;
  /// Returns for each of `numbers` the route of that number, modulo how many cost the same, in the
  /// order of equal_cost_routes(). Lists none but these. Throws Failure where there is no route.
  std::vector<Route> numbered_routes(int from, int to, std::span<const uint64_t> numbers,
                                     PathCounts& counts) const;

  /// "device 3 > node 0 nic 3".
  std::string name(LinkId link) const;

 private:
  struct Graph;
  const Wiring& wiring() const;
  bool in_one_node(int from, int to) const;
  Route route_over(std::vector<LinkId> path) const;
  std::shared_ptr<const Graph> graph_;
};

}  // namespace pipewright
