// Bisection bandwidth as a maximum flow: a source in front of every device of the first half, a
// sink behind every device of the second, links as arcs with their bandwidth.
//   B = max flow = min cut (Ford and Fulkerson 1956)
// The halves are those of the device numbers. The least cut over all halves is NP-hard to find
// (Garey, Johnson, Stockmeyer 1976), so B is an upper bound of it; for fat trees, tori of an even
// first dimension and dragonflies of an even number of groups numbered in order they are the same.
// Devices only send or only receive, and a NIC passes bytes out of its node or into it, never back:
// it is two vertices. Capacities are whole bytes a second, so that the flow is exact.
// GCC 12 takes an iterator in Boost 1.74 for uninitialized.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include "topology/bisection.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <cmath>

namespace pipewright {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Arc = Traits::edge_descriptor;

struct Place {
  boost::default_color_type color{};
  int64_t distance = 0;
  Arc predecessor;
};
struct Flow {
  int64_t capacity = 0, residual = 0;
  Arc back;
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, Place, Flow>;

constexpr double most_flow = 1e18;  ///< that whole numbers hold with room to spare

void add_arc(Graph& graph, size_t from, size_t to, int64_t capacity) {
  const Arc there = boost::add_edge(from, to, graph).first;
  const Arc back = boost::add_edge(to, from, graph).first;
  graph[there].capacity = capacity;
  graph[there].back = back;
  graph[back].back = there;
}

/// Bandwidths as whole numbers: of `unit` bytes a second.
struct Capacities {
  explicit Capacities(std::span<const Link> links) {
    double sum = 0;
    for (const Link& link : links)
      if (std::isfinite(link.bandwidth.bytes_per_s)) sum += link.bandwidth.bytes_per_s;
    unit = std::max(1.0, sum / most_flow);
    for (const Link& link : links)
      if (std::isfinite(link.bandwidth.bytes_per_s)) bounded += of(link.bandwidth);
  }
  /// Returns `bandwidth` in units; more than the sum of all bounded ones where it is unbounded.
  int64_t of(Bandwidth bandwidth) const {
    const double rate = bandwidth.bytes_per_s;
    return std::isfinite(rate) ? std::llround(rate / unit) : bounded + 1;
  }

  double unit = 1;
  int64_t bounded = 0;
};

/// NICs take bytes out of their node at their own vertex and into it at `inward`.
class Cut {
 public:
  explicit Cut(const Topology& topology)
      : topology_(topology),
        half_(topology.devices() / 2),
        capacities_(topology.links()),
        graph_(2 * topology.vertices().size() + 3) {
    for (const Link& link : topology.links()) add_link(link);
    for (int d = 0; d < topology.devices(); ++d) {
      const VertexId device = topology.vertex(d);
      if (d < half_)
        add_arc(graph_, source(), device, capacities_.bounded + 1);
      else
        add_arc(graph_, device, gate(), capacities_.bounded + 1);
    }
    add_arc(graph_, gate(), sink(), capacities_.bounded + 1);
  }

  Bandwidth flow() {
    const int64_t flow = boost::boykov_kolmogorov_max_flow(
        graph_, get(&Flow::capacity, graph_), get(&Flow::residual, graph_),
        get(&Flow::back, graph_), get(&Place::predecessor, graph_), get(&Place::color, graph_),
        get(&Place::distance, graph_), get(boost::vertex_index, graph_), source(), sink());
    if (flow > capacities_.bounded) return {std::numeric_limits<double>::infinity()};
    return {static_cast<double>(flow) * capacities_.unit};
  }

 private:
  size_t source() const { return 2 * topology_.vertices().size(); }
  size_t gate() const { return source() + 1; }  ///< keeps the sum of unbounded ways in range
  size_t sink() const { return source() + 2; }
  size_t inward(VertexId nic) const { return topology_.vertices().size() + nic; }

  bool first_half(const Vertex& device) const { return static_cast<int>(device.index) < half_; }

  void add_link(const Link& link) {
    const Vertex& from = topology_.vertices()[link.from];
    const Vertex& to = topology_.vertices()[link.to];
    if (from.kind == VertexKind::device && !first_half(from)) return;
    if (to.kind == VertexKind::device && first_half(to)) return;
    const bool inside = from.node == to.node;
    const size_t tail =
        from.kind == VertexKind::nic && inside ? inward(link.from) : size_t{link.from};
    const size_t head = to.kind == VertexKind::nic && !inside ? inward(link.to) : size_t{link.to};
    add_arc(graph_, tail, head, capacities_.of(link.bandwidth));
  }

  const Topology& topology_;
  int half_;
  Capacities capacities_;
  Graph graph_;
};

}  // namespace

Bandwidth bisection(const Topology& topology) {
  return topology.devices() < 2 ? Bandwidth{} : Cut(topology).flow();
}

}  // namespace pipewright
