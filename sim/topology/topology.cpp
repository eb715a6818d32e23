#include "topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "topology/crossings.hpp"
#include "topology/route_memo.hpp"
#include "topology/searches.hpp"

namespace pipewright {
namespace {

Failure no_route(int from, int to) {
  return Failure(fmt::format("no route from device {} to device {}", from, to));
}

}  // namespace

struct Topology::Graph {
  explicit Graph(Wiring laid) : wiring(std::move(laid)), searches(wiring) {}

  const Vertex& from(LinkId link) const { return wiring.vertices[wiring.links[link].from]; }
  const Vertex& to(LinkId link) const { return wiring.vertices[wiring.links[link].to]; }

  class CrossingPaths;
  std::vector<Crossing> crossings(VertexId a, VertexId b) const {
    return cheapest_crossings(wiring, searches, a, b);
  }
  std::vector<LinkId> across_fabric(VertexId first, VertexId last) const;
  std::vector<LinkId> between_nodes(VertexId a, VertexId b) const;
  std::vector<LinkId> inside_node(VertexId a, VertexId b) const;
  Paths paths_between_nodes(VertexId a, VertexId b, size_t most) const;
  Paths paths_inside_node(VertexId a, VertexId b, size_t most) const;
  Paths numbered_between_nodes(VertexId a, VertexId b, std::span<const uint64_t> numbers,
                               PathCounts& counts) const;
  Paths numbered_inside_node(VertexId a, VertexId b, std::span<const uint64_t> numbers,
                             PathCounts& counts) const;

  Wiring wiring;
  Searches searches;
  mutable RouteMemo memo;         // by devices
  mutable RouteMemo fabric_memo;  // by switches
};

/// The paths that leave one node and enter the other at one crossing: those inside the first node,
/// each with those across the fabric, each with those inside the other.
class Topology::Graph::CrossingPaths {
 public:
  CrossingPaths(const Graph& graph, const Searches::Search& from_a, const Searches::Search& to_b,
                const Crossing& crossing, PathCounts& counts)
      : graph_(graph), from_a_(from_a), to_b_(to_b), crossing_(crossing), counts_(counts) {
    near_ = searches().count(from_a_, exit().from, counts_);
    if (!direct()) middle_ = searches().count(fabric(), entry().from, counts_);
    far_ = searches().count(to_b_, entry().to, counts_);
  }

  uint64_t count() const { return product_of_paths(near_, beyond()); }

  std::vector<LinkId> path(uint64_t number) const {
    std::vector<LinkId> links =
        searches().path_number(from_a_, exit().from, number / beyond(), counts_);
    links.push_back(crossing_.exit);
    if (!direct()) {
      append(searches().path_number(fabric(), entry().from, number / far_ % middle_, counts_),
             links);
      links.push_back(crossing_.entry);
    }
    append(searches().path_number(to_b_, entry().to, number % far_, counts_), links);
    return links;
  }

 private:
  static void append(const std::vector<LinkId>& more, std::vector<LinkId>& links) {
    links.insert(links.end(), more.begin(), more.end());
  }
  const Searches& searches() const { return graph_.searches; }
  const Link& exit() const { return graph_.wiring.links[crossing_.exit]; }
  const Link& entry() const { return graph_.wiring.links[crossing_.entry]; }
  bool direct() const { return crossing_.exit == crossing_.entry; }
  const Searches::Search& fabric() const { return searches().across_fabric(exit().to); }
  uint64_t beyond() const { return product_of_paths(middle_, far_); }

  const Graph& graph_;
  const Searches::Search& from_a_;
  const Searches::Search& to_b_;
  Crossing crossing_;
  PathCounts& counts_;
  uint64_t near_ = 1, middle_ = 1, far_ = 1;
};

std::vector<LinkId> Topology::Graph::inside_node(VertexId a, VertexId b) const {
  const Searches::Search from_a = searches.in_node(a, SearchWay::from_source);
  return searches.cost(from_a, b).reachable() ? searches.path(from_a, b) : std::vector<LinkId>{};
}

/// The path between two switches of the fabric.
std::vector<LinkId> Topology::Graph::across_fabric(VertexId first, VertexId last) const {
  if (first == last) return {};
  const int from = static_cast<int>(first), to = static_cast<int>(last);
  if (std::optional<Route> known = fabric_memo.find(from, to)) return std::move(known->links);
  Route route{.links = searches.path(searches.across_fabric(first), last)};
  fabric_memo.keep(from, to, route);
  return std::move(route.links);
}

std::vector<LinkId> Topology::Graph::between_nodes(VertexId a, VertexId b) const {
  const std::vector<Crossing> all = crossings(a, b);
  if (all.empty()) return {};
  const Crossing& best = all.front();
  std::vector<LinkId> links =
      searches.path(searches.in_node(a, SearchWay::from_source), wiring.links[best.exit].from);
  links.push_back(best.exit);
  if (best.exit != best.entry) {
    const VertexId first = wiring.links[best.exit].to, last = wiring.links[best.entry].from;
    const std::vector<LinkId> middle = across_fabric(first, last);
    links.insert(links.end(), middle.begin(), middle.end());
    links.push_back(best.entry);
  }
  const std::vector<LinkId> rest =
      searches.path(searches.in_node(b, SearchWay::to_source), wiring.links[best.entry].to);
  links.insert(links.end(), rest.begin(), rest.end());
  return links;
}

Paths Topology::Graph::paths_inside_node(VertexId a, VertexId b, size_t most) const {
  const Searches::Search from_a = searches.in_node(a, SearchWay::from_source);
  return searches.cost(from_a, b).reachable() ? searches.paths(from_a, b, most) : Paths{};
}

Paths Topology::Graph::paths_between_nodes(VertexId a, VertexId b, size_t most) const {
  const Searches::Search from_a = searches.in_node(a, SearchWay::from_source);
  const Searches::Search to_b = searches.in_node(b, SearchWay::to_source);
  Paths all;
  for (const auto& [exit, entry] : crossings(a, b)) {
    if (all.size() == most) break;
    Paths some = joined(searches.paths(from_a, wiring.links[exit].from, most), {{exit}}, most);
    if (exit != entry) {
      const Searches::Search& middle = searches.across_fabric(wiring.links[exit].to);
      some = joined(some, searches.paths(middle, wiring.links[entry].from, most), most);
      some = joined(some, {{entry}}, most);
    }
    some = joined(some, searches.paths(to_b, wiring.links[entry].to, most), most - all.size());
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

Paths Topology::Graph::numbered_inside_node(VertexId a, VertexId b,
                                            std::span<const uint64_t> numbers,
                                            PathCounts& counts) const {
  const Searches::Search from_a = searches.in_node(a, SearchWay::from_source);
  if (!searches.cost(from_a, b).reachable()) return {};
  Paths paths;
  const uint64_t all = searches.count(from_a, b, counts);
  for (const uint64_t number : numbers)
    paths.push_back(searches.path_number(from_a, b, number % all, counts));
  return paths;
}

Paths Topology::Graph::numbered_between_nodes(VertexId a, VertexId b,
                                              std::span<const uint64_t> numbers,
                                              PathCounts& counts) const {
  const Searches::Search from_a = searches.in_node(a, SearchWay::from_source);
  const Searches::Search to_b = searches.in_node(b, SearchWay::to_source);
  std::vector<CrossingPaths> through;
  uint64_t all = 0;
  for (const Crossing& crossing : crossings(a, b)) {
    through.emplace_back(*this, from_a, to_b, crossing, counts);
    all = sum_of_paths(all, through.back().count());
  }
  Paths paths;
  for (const uint64_t any : numbers) {
    if (through.empty()) break;
    uint64_t number = any % all;
    auto one = through.begin();
    for (; number >= one->count(); ++one) number -= one->count();
    paths.push_back(one->path(number));
  }
  return paths;
}

Topology::Topology(Wiring wiring) : graph_(std::make_shared<const Graph>(std::move(wiring))) {}

const Wiring& Topology::wiring() const { return graph_->wiring; }

std::span<const LinkId> Topology::links_of(VertexId vertex) const {
  return graph_->searches.links_of(vertex);
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

std::vector<Route> Topology::numbered_routes(int from, int to, std::span<const uint64_t> numbers,
                                             PathCounts& counts) const {
  if (from == to) return std::vector<Route>(numbers.size());
  const VertexId a = vertex(from), b = vertex(to);
  Paths paths = in_one_node(from, to) ? graph_->numbered_inside_node(a, b, numbers, counts)
                                      : graph_->numbered_between_nodes(a, b, numbers, counts);
  if (paths.empty()) throw no_route(from, to);
  std::vector<Route> routes;
  for (std::vector<LinkId>& path : paths) routes.push_back(route_over(std::move(path)));
  return routes;
}

std::string Topology::name(LinkId link) const {
  return pipewright::name(graph_->from(link)) + " > " + pipewright::name(graph_->to(link));
}

}  // namespace pipewright
