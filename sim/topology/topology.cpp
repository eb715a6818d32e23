#include "topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "topology/route_memo.hpp"
#include "topology/searches.hpp"

namespace pipewright {
namespace {

/// The cheapest of what is considered; all of them where several are.
template <class T>
class Cheapest {
 public:
  void consider(RouteCost cost, T one) {
    if (!cost.reachable() || best_ < cost) return;
    if (cost < best_) all_.clear();
    best_ = cost;
    all_.push_back(one);
  }
  std::vector<T> sorted() {
    std::sort(all_.begin(), all_.end());
    return std::move(all_);
  }

 private:
  RouteCost best_ = unreachable;
  std::vector<T> all_;
};

Failure no_route(int from, int to) {
  return Failure(fmt::format("no route from device {} to device {}", from, to));
}

}  // namespace

struct Topology::Graph {
  explicit Graph(Wiring laid) : wiring(std::move(laid)), searches(wiring) {}

  const Vertex& from(LinkId link) const { return wiring.vertices[wiring.links[link].from]; }
  const Vertex& to(LinkId link) const { return wiring.vertices[wiring.links[link].to]; }

  /// Tells whether a route of `device` may leave or enter its node at `end`: not at another device.
  bool ends_at(VertexId end, VertexId device) const {
    return end == device || wiring.vertices[end].kind != VertexKind::device;
  }

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
  Searches searches;
  mutable RouteMemo memo;
};

std::vector<LinkId> Topology::Graph::inside_node(VertexId a, VertexId b) const {
  Searches::Search own;
  const Searches::Search& from_a = searches.in_node(a, SearchWay::from_source, own);
  return searches.cost(from_a, b).reachable() ? searches.path(from_a, b) : std::vector<LinkId>{};
}

std::vector<Topology::Graph::Crossing> Topology::Graph::crossings(VertexId a, VertexId b) const {
  const NodeId from_node = wiring.vertices[a].node, to_node = wiring.vertices[b].node;
  Searches::Search own_a, own_b;
  const Searches::Search& from_a = searches.in_node(a, SearchWay::from_source, own_a);
  const Searches::Search& to_b = searches.in_node(b, SearchWay::to_source, own_b);
  Cheapest<Crossing> cheapest;
  for (const LinkId exit : searches.exits(from_node)) {
    const Link& leaving = wiring.links[exit];
    const RouteCost near = searches.cost(from_a, leaving.from) + cost_of(leaving);
    if (!ends_at(leaving.from, a) || !near.reachable()) continue;
    if (to(exit).node == to_node && ends_at(leaving.to, b))
      cheapest.consider(near + searches.cost(to_b, leaving.to), {exit, exit});
    if (to(exit).node != fabric) continue;
    for (const LinkId back : searches.exits(to_node)) {
      const Link& entering = wiring.links[opposite(back)];
      const RouteCost far = cost_of(entering) + searches.cost(to_b, entering.to);
      if (from(opposite(back)).node != fabric || !ends_at(entering.to, b) || !far.reachable())
        continue;
      const RouteCost middle = searches.cost(searches.across_fabric(leaving.to), entering.from);
      cheapest.consider(near + middle + far, {exit, opposite(back)});
    }
  }
  return cheapest.sorted();
}

std::vector<LinkId> Topology::Graph::between_nodes(VertexId a, VertexId b) const {
  const std::vector<Crossing> all = crossings(a, b);
  if (all.empty()) return {};
  const Crossing& best = all.front();
  Searches::Search own;
  std::vector<LinkId> links =
      searches.path(searches.in_node(a, SearchWay::from_source, own), wiring.links[best.exit].from);
  links.push_back(best.exit);
  if (best.exit != best.entry) {
    const VertexId first = wiring.links[best.exit].to, last = wiring.links[best.entry].from;
    const std::vector<LinkId> middle = searches.path(searches.across_fabric(first), last);
    links.insert(links.end(), middle.begin(), middle.end());
    links.push_back(best.entry);
  }
  const std::vector<LinkId> rest =
      searches.path(searches.in_node(b, SearchWay::to_source, own), wiring.links[best.entry].to);
  links.insert(links.end(), rest.begin(), rest.end());
  return links;
}

Paths Topology::Graph::paths_inside_node(VertexId a, VertexId b, size_t most) const {
  Searches::Search own;
  const Searches::Search& from_a = searches.in_node(a, SearchWay::from_source, own);
  return searches.cost(from_a, b).reachable() ? searches.paths(from_a, b, most) : Paths{};
}

Paths Topology::Graph::paths_between_nodes(VertexId a, VertexId b, size_t most) const {
  Searches::Search own_a, own_b;
  const Searches::Search& from_a = searches.in_node(a, SearchWay::from_source, own_a);
  const Searches::Search& to_b = searches.in_node(b, SearchWay::to_source, own_b);
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

std::string Topology::name(LinkId link) const {
  return pipewright::name(graph_->from(link)) + " > " + pipewright::name(graph_->to(link));
}

}  // namespace pipewright
