// A dragonfly: groups of `routers` that are all joined to one another, `nodes_per_router` on each,
// and groups joined by the `global_links` of each router.
//   p nodes a router, a routers a group, h global links a router, g groups
//   g = nodes / (a p), at most a h + 1;  m = floor(a h / (g - 1)) links between every two groups
// Link j of group i goes to group i + 1 + (j mod (g - 1)), counted round, and leaves from router
// floor(j / h). Node n is on router floor(n / p). `link` joins routers of a group, `global_link`
// (the same unless given) groups: bandwidth each way, latency per hop. A node's NICs together carry
// one `link` and reach the router at once. A route crosses one global link at most, however short
// their latency (minimal routing): what Valiant's detours gain under uneven traffic is not in here.
// Source: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology" (2008).
#include <fmt/format.h>

#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

constexpr int most_nics = 1024;
constexpr int most_of_router = 1024;

struct Dragonfly {
  size_t nodes_a_router = 1, routers = 1, global_links = 1, groups = 1;
  LinkType link, global_link;
};

void check_groups(Dragonfly& shape, size_t nodes, const config::Value& at) {
  const size_t a_group = shape.routers * shape.nodes_a_router;
  if (nodes % a_group != 0) {
    at.fail(fmt::format("{} nodes are not whole groups of {} routers with {} nodes each", nodes,
                        shape.routers, shape.nodes_a_router));
  }
  shape.groups = nodes / a_group;
  const size_t most = shape.routers * shape.global_links + 1;
  if (shape.groups > most) {
    at.fail(fmt::format("{} groups, but {} routers with {} global links each reach {}",
                        shape.groups, shape.routers, shape.global_links, most));
  }
}

Dragonfly read(const config::Fields& fields, size_t nodes, const config::Catalogue& catalogue) {
  const auto count = [](const config::Value& value) {
    return static_cast<size_t>(config::as_int(value, 1, most_of_router));
  };
  Dragonfly shape{.nodes_a_router = count(fields.at("nodes_per_router")),
                  .routers = count(fields.at("routers")),
                  .global_links = count(fields.at("global_links")),
                  .link = read_link(fields.at("link"), catalogue)};
  const config::Value* global = fields.find("global_link");
  shape.global_link = global ? read_link(*global, catalogue) : shape.link;
  check_groups(shape, nodes, fields.value());
  return shape;
}

void join_group(Wiring& wiring, std::span<const VertexId> routers, const LinkType& link) {
  for (size_t a = 0; a < routers.size(); ++a)
    for (size_t b = a + 1; b < routers.size(); ++b) wiring.connect(routers[a], routers[b], link);
}

/// Link j of a group that leads `ahead` groups on, in each of the rounds that fill its ports.
void join_groups(Wiring& wiring, const Dragonfly& shape, std::span<const VertexId> routers) {
  if (shape.groups < 2) return;
  const size_t others = shape.groups - 1;
  const size_t rounds = shape.routers * shape.global_links / others;
  const auto router = [&](size_t group, size_t round, size_t ahead) {
    const size_t port = round * others + ahead - 1;
    return routers[group * shape.routers + port / shape.global_links];
  };
  for (size_t from = 0; from < shape.groups; ++from)
    for (size_t to = from + 1; to < shape.groups; ++to)
      for (size_t round = 0; round < rounds; ++round) {
        wiring.connect_groups(router(from, round, to - from),
                              router(to, round, shape.groups - (to - from)), shape.global_link);
      }
}

void wire(Wiring& wiring, std::span<const NodeWiring> nodes, const config::Value& options,
          const config::Catalogue& catalogue) {
  const config::Fields fields(options, "a dragonfly fabric",
                              {"kind", "routers", "nodes_per_router", "global_links", "link",
                               "global_link", "nics", "measured"});
  const Dragonfly shape = read(fields, nodes.size(), catalogue);
  const int nics = static_cast<int>(fields.integer("nics", 1, 1, most_nics));
  std::vector<VertexId> routers;
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (n % shape.nodes_a_router == 0)
      routers.push_back(wiring.add(VertexKind::router, fabric, routers.size()));
    attach_nics(wiring, nodes[n], routers.back(), nics, shape.link);
  }
  for (size_t g = 0; g < shape.groups; ++g)
    join_group(wiring, std::span(routers).subspan(g * shape.routers, shape.routers), shape.link);
  join_groups(wiring, shape, routers);
}

}  // namespace

const FabricShape shape::dragonfly{"dragonfly",
                                   "groups of routers, all joined to all; latency per hop", wire};

}  // namespace pipewright
