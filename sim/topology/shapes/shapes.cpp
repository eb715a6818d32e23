#include "topology/shapes/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

template <class Shape>
const Shape& named_shape(std::span<const Shape* const> shapes, const config::Value& options,
                         const char* what) {
  if (!options.is_map()) options.fail(fmt::format("{} must be a map with the key 'kind'", what));
  const config::Value* kind = options.find("kind");
  if (!kind) options.lacks(fmt::format("{} needs the key 'kind'", what));
  const std::string& name = config::as_text(*kind, "a kind");
  std::vector<std::string_view> names;
  for (const Shape* shape : shapes) {
    if (shape->name == name) return *shape;
    names.push_back(shape->name);
  }
  kind->fail(fmt::format("unknown kind '{}' of {}; there are: {}{}", name, what, join(names),
                         did_you_mean(name, names)));
}

}  // namespace

const NodeShape& node_shape(const config::Value& options) {
  return named_shape<NodeShape>(node_shapes, options, "interconnect");
}

const FabricShape& fabric_shape(const config::Value& options) {
  return named_shape<FabricShape>(fabric_shapes, options, "fabric");
}

Halves halves(const LinkType& link) {
  Halves two{link, link};
  two.in.latency.ps = link.latency.ps / 2;
  two.out.latency = link.latency - two.in.latency;
  return two;
}

namespace {

std::vector<Nic> own_nics(const NodeWiring& node, double all) {
  std::vector<Nic> nics;
  for (const VertexId vertex : node.own_nics) {
    nics.push_back({vertex, static_cast<int>(nics.size()),
                    Bandwidth{all / static_cast<double>(node.own_nics.size())}});
  }
  return nics;
}

}  // namespace

std::vector<Nic> add_nics(Wiring& wiring, const NodeWiring& node, int count, const LinkType& link) {
  if (!node.own_nics.empty()) return own_nics(node, link.bandwidth.bytes_per_s * count);
  const int vertices = std::min(count, node.slots);
  const Bandwidth each{link.bandwidth.bytes_per_s * count / vertices};
  std::vector<Nic> nics;
  for (size_t slot = 0; slot < node.devices.size(); ++slot) {
    const int rail = static_cast<int>(slot) * vertices / node.slots;
    if (nics.empty() || nics.back().rail != rail) {
      const VertexId vertex = wiring.add(VertexKind::nic, node.node, static_cast<size_t>(rail));
      nics.push_back({vertex, rail, each});
    }
    wiring.connect(node.devices[slot], nics.back().vertex, node.host_link);
  }
  return nics;
}

void attach_nics(Wiring& wiring, const NodeWiring& node, VertexId router, int count,
                 const LinkType& all) {
  LinkType port = all;
  port.bandwidth.bytes_per_s /= count;
  port.latency = {};
  for (const Nic& nic : add_nics(wiring, node, count, port)) {
    port.bandwidth = nic.bandwidth;
    wiring.connect(nic.vertex, router, port);
  }
}

}  // namespace pipewright
