// A torus of nodes: node n stands at the place whose coordinates are the digits of n, the last
// dimension fastest, on a router of its own that has a link to the next place each way along every
// dimension and closes the ring. A dimension of two has one link, not two; one of one has none.
//   links of a router = sum over dimensions of 0 (k = 1), 1 (k = 2), 2 (k > 2)
// `link` is one of them: bandwidth each way, latency per hop. The NICs of a node together carry
// what its router's links carry, and reach the router at once. Routes are shortest ones; of equal
// ones the first is taken. Source: Dally and Towles, Principles and Practices of Interconnection
// Networks (2004), chapter 5.
#include <fmt/format.h>

#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

constexpr int most_nics = 1024;
constexpr int most_nodes = 1 << 16;
constexpr size_t most_dimensions = 8;

std::vector<size_t> read_dims(const config::Value& list, size_t nodes) {
  if (!list.is_list() || list.items.empty() || list.items.size() > most_dimensions) {
    list.fail(fmt::format("dims must be a list of at most {} lengths, such as [4, 4, 4]",
                          most_dimensions));
  }
  std::vector<size_t> dims;
  size_t places = 1;
  for (const config::Value& item : list.items) {
    dims.push_back(static_cast<size_t>(config::as_int(item, 1, most_nodes)));
    places *= dims.back();
    if (places > most_nodes) list.fail(fmt::format("a torus has at most {} places", most_nodes));
  }
  if (places != nodes)
    list.fail(
        fmt::format("a torus of these dims has {} places, the cluster {} nodes", places, nodes));
  return dims;
}

double links_of_router(const std::vector<size_t>& dims) {
  size_t links = 0;
  for (const size_t length : dims) links += std::min<size_t>(length - 1, 2);
  return static_cast<double>(std::max<size_t>(links, 1));
}

/// Every router to the next along one dimension, whose neighbours are `stride` apart.
void close_rings(Wiring& wiring, const std::vector<VertexId>& routers, size_t length, size_t stride,
                 const LinkType& link) {
  for (size_t at = 0; at < routers.size(); ++at) {
    const bool last = at / stride % length == length - 1;
    if (last && length <= 2) continue;
    wiring.connect(routers[at], routers[last ? at - (length - 1) * stride : at + stride], link);
  }
}

void wire(Wiring& wiring, std::span<const NodeWiring> nodes, const config::Value& options,
          const config::Catalogue& catalogue) {
  const config::Fields fields(options, "a torus fabric",
                              {"kind", "dims", "link", "nics", "measured"});
  const LinkType link = read_link(fields.at("link"), catalogue);
  const std::vector<size_t> dims = read_dims(fields.at("dims"), nodes.size());
  const int nics = static_cast<int>(fields.integer("nics", 1, 1, most_nics));
  LinkType port = link;
  port.bandwidth.bytes_per_s *= links_of_router(dims);
  std::vector<VertexId> routers;
  for (const NodeWiring& node : nodes) {
    routers.push_back(wiring.add(VertexKind::router, fabric, routers.size()));
    attach_nics(wiring, node, routers.back(), nics, port);
  }
  size_t stride = routers.size();
  for (const size_t length : dims) {
    stride /= length;
    if (length > 1) close_rings(wiring, routers, length, stride, link);
  }
}

}  // namespace

const FabricShape shape::torus{"torus", "nodes in rings along every dimension; latency per hop",
                               wire};

}  // namespace pipewright
