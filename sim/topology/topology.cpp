#include "topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/error.hpp"
#include "topology/region.hpp"
#include "topology/route_memo.hpp"

namespace pipewright {
namespace {

constexpr size_t most_held = 4'000'000;  ///< costs of paths inside nodes; 64 MB

/// Vertices and inner links of every node and, last, of the fabric.
struct Parts {
  explicit Parts(const Wiring& wiring);
  size_t index(NodeId node) const { return node == fabric ? members.size() - 1 : node; }

  std::vector<std::vector<VertexId>> members;
  std::vector<std::vector<LinkId>> inner, exits;
  std::vector<uint32_t> place;  ///< by vertex: its place among the members of its part
};

Parts::Parts(const Wiring& wiring) {
  size_t nodes = 0;
  for (const Vertex& vertex : wiring.vertices)
    if (vertex.node != fabric) nodes = std::max(nodes, size_t{vertex.node} + 1);
  members.resize(nodes + 1);
  inner.resize(nodes + 1);
  exits.resize(nodes + 1);
  for (VertexId v = 0; v < wiring.vertices.size(); ++v) {
    std::vector<VertexId>& own = members[index(wiring.vertices[v].node)];
    place.push_back(static_cast<uint32_t>(own.size()));
    own.push_back(v);
  }
  for (LinkId l = 0; l < wiring.links.size(); ++l) {
    const NodeId from = wiring.vertices[wiring.links[l].from].node;
    const NodeId to = wiring.vertices[wiring.links[l].to].node;
    (from == to ? inner : exits)[index(from)].push_back(l);
  }
}

using Paths = std::vector<std::vector<LinkId>>;

/// Every one of `first` followed by every one of `then`, at most `most`.
Paths joined(const Paths& first, const Paths& then, size_t most) {
  Paths all;
  for (const std::vector<LinkId>& begin : first) {
    for (const std::vector<LinkId>& end : then) {
      if (all.size() == most) return all;
      all.push_back(begin);
      all.back().insert(all.back().end(), end.begin(), end.end());
    }
  }
  return all;
}

Failure no_route(int from, int to) {
  return Failure(fmt::format("no route from device {} to device {}", from, to));
}

}  // namespace

struct Topology::Graph {
  explicit Graph(Wiring laid);

  const Vertex& from(LinkId link) const { return wiring.vertices[wiring.links[link].from]; }
  const Vertex& to(LinkId link) const { return wiring.vertices[wiring.links[link].to]; }
  std::span<const LinkId> links_of(VertexId vertex) const {
    return {out.data() + offset[vertex], out.data() + offset[vertex + 1]};
  }
  const Region& region(VertexId vertex) const {
    return regions[parts.index(wiring.vertices[vertex].node)];
  }

  struct Search {
    VertexId source = 0;
    SearchWay direction = SearchWay::from_source;
    std::vector<Cost> cost;
  };
  Search search(VertexId source, SearchWay direction) const;
  /// Returns the search that is kept, or searches into `own`.
  const Search& search_node(VertexId device, SearchWay direction, Search& own) const;
  const Search& across_fabric(VertexId source) const;
  Cost cost(const Search& search, VertexId vertex) const {
    return search.cost[parts.place[vertex]];
  }

  /// The links of the path found by `search` to (or from) `vertex`, in the order bytes take them.
  std::vector<LinkId> path(const Search& search, VertexId vertex) const;
  LinkId last_link(const Search& search, VertexId vertex) const;
  /// All that cost the same, the one of path() first.
  Paths paths(const Search& search, VertexId vertex, size_t most) const;
  std::vector<LinkId> last_links(const Search& search, VertexId vertex) const;

  /// The place where a route leaves one node and enters the other.
  struct Crossing {
    LinkId exit = 0, entry = 0;  ///< the same where a link joins the two nodes directly
    auto operator<=>(const Crossing&) const = default;
  };
  std::vector<Crossing> crossings(VertexId a, VertexId b) const;
  std::vector<LinkId> between_nodes(VertexId a, VertexId b) const;
  std::vector<LinkId> inside_node(VertexId a, VertexId b) const;
  Paths paths_between_nodes(VertexId a, VertexId b, size_t most) const;
  Paths paths_inside_node(VertexId a, VertexId b, size_t most) const;

  Wiring wiring;
  std::vector<uint32_t> offset;
  std::vector<LinkId> out;
  Parts parts;
  std::vector<Region> regions;
  // Ways across the fabric are searched when first asked for, once for each switch.
  std::unique_ptr<std::once_flag[]> searched;
  mutable std::vector<Search> fabric_searches;
  // So are paths inside nodes, from and to each device, unless that would be too much to hold.
  std::unique_ptr<std::once_flag[]> node_searched;
  mutable std::vector<Search> node_searches;
  mutable RouteMemo memo;
};

Topology::Graph::Graph(Wiring laid) : wiring(std::move(laid)), parts(wiring) {
  offset.assign(wiring.vertices.size() + 1, 0);
  for (const Link& link : wiring.links) ++offset[link.from + 1];
  for (size_t v = 1; v < offset.size(); ++v) offset[v] += offset[v - 1];
  std::vector<uint32_t> next(offset.begin(), offset.end() - 1);
  out.resize(wiring.links.size());
  for (LinkId l = 0; l < wiring.links.size(); ++l) out[next[wiring.links[l].from]++] = l;
  for (size_t r = 0; r < parts.members.size(); ++r)
    regions.emplace_back(wiring, parts.members[r], parts.inner[r], parts.place);
  const size_t switches = parts.members.back().size();
  searched = std::make_unique<std::once_flag[]>(switches);
  fabric_searches.resize(switches);
  const size_t sources = 2 * wiring.devices.size();
  size_t held = 0;
  for (const VertexId device : wiring.devices)
    held += 2 * parts.members[parts.index(wiring.vertices[device].node)].size();
  if (held > most_held) return;
  node_searched = std::make_unique<std::once_flag[]>(sources);
  node_searches.resize(sources);
}

Topology::Graph::Search Topology::Graph::search(VertexId source, SearchWay direction) const {
  return {source, direction, region(source).search(wiring, source, direction, parts.place)};
}

const Topology::Graph::Search& Topology::Graph::search_node(VertexId device, SearchWay direction,
                                                            Search& own) const {
  if (node_searches.empty()) return own = search(device, direction);
  const size_t source =
      2 * size_t{wiring.vertices[device].index} + (direction == SearchWay::from_source ? 0 : 1);
  std::call_once(node_searched[source], [&] { node_searches[source] = search(device, direction); });
  return node_searches[source];
}

const Topology::Graph::Search& Topology::Graph::across_fabric(VertexId source) const {
  const uint32_t place = parts.place[source];
  std::call_once(searched[place],
                 [&] { fabric_searches[place] = search(source, SearchWay::from_source); });
  return fabric_searches[place];
}

std::vector<LinkId> Topology::Graph::last_links(const Search& search, VertexId vertex) const {
  const bool forward = search.direction == SearchWay::from_source;
  std::vector<LinkId> last;
  for (const LinkId leaving : links_of(vertex)) {
    const VertexId other = wiring.links[leaving].to;
    if (wiring.vertices[other].node != wiring.vertices[vertex].node) continue;
    if (other != search.source && !forwards(wiring.vertices[other].kind)) continue;
    const LinkId taken = forward ? opposite(leaving) : leaving;
    if (cost(search, other) + cost_of(wiring.links[taken]) == cost(search, vertex))
      last.push_back(taken);
  }
  ensure(!last.empty(), "a vertex that was reached has no link by which it was reached");
  std::sort(last.begin(), last.end());
  return last;
}

LinkId Topology::Graph::last_link(const Search& search, VertexId vertex) const {
  return last_links(search, vertex).front();
}

Paths Topology::Graph::paths(const Search& search, VertexId vertex, size_t most) const {
  if (vertex == search.source) return {{}};
  const bool forward = search.direction == SearchWay::from_source;
  Paths all;
  for (const LinkId last : last_links(search, vertex)) {
    if (all.size() == most) break;
    const Paths rest =
        paths(search, forward ? wiring.links[last].from : wiring.links[last].to, most - all.size());
    const Paths whole = forward ? joined(rest, {{last}}, most) : joined({{last}}, rest, most);
    all.insert(all.end(), whole.begin(), whole.end());
  }
  return all;
}

std::vector<LinkId> Topology::Graph::path(const Search& search, VertexId vertex) const {
  const bool forward = search.direction == SearchWay::from_source;
  std::vector<LinkId> links;
  while (vertex != search.source) {
    links.push_back(last_link(search, vertex));
    vertex = forward ? wiring.links[links.back()].from : wiring.links[links.back()].to;
  }
  if (forward) std::reverse(links.begin(), links.end());
  return links;
}

std::vector<LinkId> Topology::Graph::inside_node(VertexId a, VertexId b) const {
  Search own;
  const Search& from_a = search_node(a, SearchWay::from_source, own);
  return cost(from_a, b).reachable() ? path(from_a, b) : std::vector<LinkId>{};
}

std::vector<Topology::Graph::Crossing> Topology::Graph::crossings(VertexId a, VertexId b) const {
  const NodeId from_node = wiring.vertices[a].node, to_node = wiring.vertices[b].node;
  Search own_a, own_b;
  const Search& from_a = search_node(a, SearchWay::from_source, own_a);
  const Search& to_b = search_node(b, SearchWay::to_source, own_b);
  Cost best = unreachable;
  std::vector<Crossing> all;
  const auto consider = [&](Cost cost, Crossing crossing) {
    if (!cost.reachable() || best < cost) return;
    if (cost < best) all.clear();
    best = cost;
    all.push_back(crossing);
  };
  const auto usable = [&](VertexId end, VertexId own) {
    return end == own || wiring.vertices[end].kind != VertexKind::device;
  };
  for (const LinkId exit : parts.exits[parts.index(from_node)]) {
    const Link& leaving = wiring.links[exit];
    const Cost near = cost(from_a, leaving.from) + cost_of(leaving);
    if (!usable(leaving.from, a) || !near.reachable()) continue;
    if (to(exit).node == to_node && usable(leaving.to, b))
      consider(near + cost(to_b, leaving.to), {exit, exit});
    if (to(exit).node != fabric) continue;
    for (const LinkId back : parts.exits[parts.index(to_node)]) {
      const Link& entering = wiring.links[opposite(back)];
      const Cost far = cost_of(entering) + cost(to_b, entering.to);
      if (from(opposite(back)).node != fabric || !usable(entering.to, b) || !far.reachable())
        continue;
      const Cost middle = cost(across_fabric(leaving.to), entering.from);
      consider(near + middle + far, {exit, opposite(back)});
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<LinkId> Topology::Graph::between_nodes(VertexId a, VertexId b) const {
  const std::vector<Crossing> all = crossings(a, b);
  if (all.empty()) return {};
  const Crossing& best = all.front();
  Search own;
  std::vector<LinkId> links =
      path(search_node(a, SearchWay::from_source, own), wiring.links[best.exit].from);
  links.push_back(best.exit);
  if (best.exit != best.entry) {
    const VertexId first = wiring.links[best.exit].to, last = wiring.links[best.entry].from;
    const std::vector<LinkId> middle = path(across_fabric(first), last);
    links.insert(links.end(), middle.begin(), middle.end());
    links.push_back(best.entry);
  }
  const std::vector<LinkId> rest =
      path(search_node(b, SearchWay::to_source, own), wiring.links[best.entry].to);
  links.insert(links.end(), rest.begin(), rest.end());
  return links;
}

Paths Topology::Graph::paths_inside_node(VertexId a, VertexId b, size_t most) const {
  Search own;
  const Search& from_a = search_node(a, SearchWay::from_source, own);
  return cost(from_a, b).reachable() ? paths(from_a, b, most) : Paths{};
}

Paths Topology::Graph::paths_between_nodes(VertexId a, VertexId b, size_t most) const {
  Search own_a, own_b;
  const Search& from_a = search_node(a, SearchWay::from_source, own_a);
  const Search& to_b = search_node(b, SearchWay::to_source, own_b);
  Paths all;
  for (const auto& [exit, entry] : crossings(a, b)) {
    if (all.size() == most) break;
    Paths some = joined(paths(from_a, wiring.links[exit].from, most), {{exit}}, most);
    if (exit != entry) {
      const Search& middle = across_fabric(wiring.links[exit].to);
      some = joined(some, paths(middle, wiring.links[entry].from, most), most);
      some = joined(some, {{entry}}, most);
    }
    some = joined(some, paths(to_b, wiring.links[entry].to, most), most - all.size());
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

Topology::Topology(Wiring wiring) : graph_(std::make_shared<const Graph>(std::move(wiring))) {}

const Wiring& Topology::wiring() const { return graph_->wiring; }

std::span<const LinkId> Topology::links_of(VertexId vertex) const {
  return graph_->links_of(vertex);
}

bool Topology::in_one_node(int from, int to) const {
  return vertices()[vertex(from)].node == vertices()[vertex(to)].node;
}

Route Topology::route_over(std::vector<LinkId> path) const {
  Route route{.links = std::move(path)};
  for (const LinkId link : route.links) {
    route.latency += links()[link].latency;
    route.bottleneck = std::min(route.bottleneck, links()[link].bandwidth);
  }
  return route;
}

Route Topology::route(int from, int to) const {
  if (from == to) return {};
  if (std::optional<Route> known = graph_->memo.find(from, to)) return *std::move(known);
  const VertexId a = vertex(from), b = vertex(to);
  std::vector<LinkId> path =
      in_one_node(from, to) ? graph_->inside_node(a, b) : graph_->between_nodes(a, b);
  if (path.empty()) throw no_route(from, to);
  Route route = route_over(std::move(path));
  graph_->memo.keep(from, to, route);
  return route;
}

std::vector<Route> Topology::equal_cost_routes(int from, int to, size_t most) const {
  if (from == to) return {Route{}};
  const VertexId a = vertex(from), b = vertex(to);
  Paths paths = in_one_node(from, to) ? graph_->paths_inside_node(a, b, most)
                                      : graph_->paths_between_nodes(a, b, most);
  if (paths.empty()) throw no_route(from, to);
  std::vector<Route> routes;
  for (std::vector<LinkId>& path : paths) routes.push_back(route_over(std::move(path)));
  return routes;
}

std::string Topology::name(LinkId link) const {
  return pipewright::name(graph_->from(link)) + " > " + pipewright::name(graph_->to(link));
}

}  // namespace pipewright
