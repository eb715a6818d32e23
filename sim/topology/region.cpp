#include "topology/region.hpp"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/function_property_map.hpp>

namespace pipewright {
namespace {

struct Carries {
  LinkId link = 0;
};
using Csr = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Carries>;
using Edge = boost::graph_traits<Csr>::edge_descriptor;

}  // namespace

struct Region::Graph {
  Csr csr;
};

Region::Region(const Wiring& wiring, std::span<const VertexId> members,
               std::span<const LinkId> inner, std::span<const uint32_t> place) {
  std::vector<std::pair<size_t, size_t>> ends;
  std::vector<Carries> links;
  for (const LinkId id : inner) {
    ends.emplace_back(place[wiring.links[id].from], place[wiring.links[id].to]);
    links.push_back({id});
  }
  graph_ = std::make_unique<Graph>(Graph{Csr(boost::edges_are_unsorted_multi_pass, ends.begin(),
                                             ends.end(), links.begin(), members.size())});
}

Region::Region(Region&&) noexcept = default;
Region::~Region() = default;

std::vector<RouteCost> Region::search(const Wiring& wiring, VertexId source, SearchWay direction,
                                      std::span<const uint32_t> place) const {
  const Csr& csr = graph_->csr;
  const auto weight = boost::make_function_property_map<Edge>([&](const Edge& edge) {
    const LinkId id = csr[edge].link;
    const VertexId from = wiring.links[id].from;
    if (from != source && !forwards(wiring.vertices[from].kind)) return unreachable;
    return cost_of(wiring.links[direction == SearchWay::from_source ? id : opposite(id)]);
  });
  std::vector<RouteCost> cost(boost::num_vertices(csr), unreachable);
  boost::dijkstra_shortest_paths(
      csr, place[source],
      boost::weight_map(weight)
          .distance_map(
              boost::make_iterator_property_map(cost.begin(), get(boost::vertex_index, csr)))
          .distance_compare(std::less<RouteCost>())
          .distance_combine([](RouteCost a, RouteCost b) { return a + b; })
          .distance_inf(unreachable)
          .distance_zero(RouteCost{}));
  return cost;
}

}  // namespace pipewright
