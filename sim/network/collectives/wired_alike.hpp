// Nodes that are wired alike, inside and to the fabric. What one of them sends to another node, or
// gets from it, takes the same way in all of them.
#pragma once

#include <vector>

#include "network/collectives/collective.hpp"

namespace pipewright::collective {

/// The links that begin or end in each node of a group of members.
class NodeLinks {
 public:
  NodeLinks(const Topology& topology, const Members& members);

  /// Links of a node, by its number among the nodes of the members, ascending.
  const std::vector<LinkId>& of(size_t node) const { return links_[node]; }
  /// Tells whether a link begins or ends in the node.
  bool touches(size_t node, LinkId link) const;
  /// The place of such a link in of(node).
  size_t place(size_t node, LinkId link) const;

 private:
  const Topology& topology_;
  std::vector<NodeId> nodes_;
  std::vector<std::vector<LinkId>> links_;
};

/// Returns the nodes of the members, by number, those that are wired alike together: they have the
/// same vertices and links in the same places, the same ends outside, and members in the same
/// places. So the cheapest routes leave them, and enter them, in the same places.
std::vector<std::vector<size_t>> nodes_wired_alike(const Topology& topology, const Members& members,
                                                   const NodeLinks& links);

/// Returns for every rank a number that it shares with those that have its place in nodes that are
/// wired alike. The routes between two ranks of different nodes differ from those between two
/// others of the same numbers in the links that they take, not in what kinds of links.
std::vector<int> places_wired_alike(const Topology& topology, const Members& members);

}  // namespace pipewright::collective
