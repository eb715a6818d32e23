// Cheapest paths inside the parts of a topology: from and to every device in its node, and from
// every switch across the fabric. Each is searched when it is first asked for, in nodes that are
// wired alike once for all of them. May be read from several threads.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "topology/leaving_links.hpp"
#include "topology/parts.hpp"
#include "topology/path_costs.hpp"
#include "topology/path_counts.hpp"
#include "topology/region.hpp"

namespace pipewright {

using Paths = std::vector<std::vector<LinkId>>;

/// Every one of `first` followed by every one of `then`, at most `most`.
Paths joined(const Paths& first, const Paths& then, size_t most);

class Searches {
 public:
  /// `wiring` outlives it.
  explicit Searches(const Wiring& wiring);

  /// What it costs to reach each vertex of a part from `source`, or `source` from there.
  struct Search {
    VertexId source = 0;
    SearchWay direction = SearchWay::from_source;
    std::shared_ptr<const PathCosts> cost;
  };
  Search in_node(VertexId device, SearchWay direction) const;
  const Search& across_fabric(VertexId source) const;

  RouteCost cost(const Search& search, VertexId vertex) const {
    return (*search.cost)[parts_.place[vertex]];
  }
  /// The links of the path found by `search` to (or from) `vertex`, in the order bytes take them.
  std::vector<LinkId> path(const Search& search, VertexId vertex) const;
  /// All that cost the same, the one of path() first; at most `most`.
  Paths paths(const Search& search, VertexId vertex, size_t most) const;
  /// Returns how many those are, up to most_paths.
  uint64_t count(const Search& search, VertexId vertex, PathCounts& counts) const;
  /// Returns number `number` of them, from 0, in the order of paths().
  std::vector<LinkId> path_number(const Search& search, VertexId vertex, uint64_t number,
                                  PathCounts& counts) const;

  /// Links from the node to other nodes or the fabric.
  std::span<const LinkId> exits(NodeId node) const { return parts_.exits[parts_.index(node)]; }
  std::span<const LinkId> links_of(VertexId vertex) const { return leaving_.of(vertex); }

 private:
  std::shared_ptr<const PathCosts> costs(VertexId source, SearchWay direction) const;
  std::vector<LinkId> last_links(const Search& search, VertexId vertex) const;
  /// The vertex before `last`, on the way from the source of the search.
  VertexId before(const Search& search, LinkId last) const {
    const Link& link = wiring_.links[last];
    return search.direction == SearchWay::from_source ? link.from : link.to;
  }
  const Region& region(VertexId vertex) const {
    return regions_[parts_.form[parts_.index(wiring_.vertices[vertex].node)]];
  }

  const Wiring& wiring_;
  LeavingLinks leaving_;
  Parts parts_;
  std::vector<Region> regions_;  // by form
  // Across the fabric once for each switch.
  std::unique_ptr<std::once_flag[]> fabric_searched_;
  mutable std::vector<Search> fabric_searches_;
  // Inside nodes from and to each place of each form, unless that would be too much to hold.
  std::vector<size_t> first_search_;  // by form
  std::unique_ptr<std::once_flag[]> node_searched_;
  mutable std::vector<std::shared_ptr<const PathCosts>> node_costs_;
};

}  // namespace pipewright
