#include "topology/cluster/node.hpp"

#include <fmt/format.h>

#include <cmath>

#include "config/catalogue.hpp"

namespace pipewright {
namespace {

constexpr int most_devices = 4096;

config::Value through_the_host(const config::Value& node) {
  config::Value interconnect;
  interconnect.mark = node.mark;
  interconnect.set("kind", config::scalar("pcie", node.mark));
  return interconnect;
}

void read_interconnect(NodeType& node, const config::Catalogue& catalogue) {
  node.shape = &node_shape(node.interconnect);
  const config::Fields fields(node.interconnect, "interconnect", {"kind", "link", "links"});
  const bool drawn = node.shape->name == "graph";
  if (const config::Value* other = fields.find(drawn ? "link" : "links")) {
    other->fail(fmt::format("'{}' means nothing for an interconnect of kind '{}'",
                            drawn ? "link" : "links", node.shape->name));
  }
  if (drawn) node.graph = read_graph(fields.at("links"), catalogue, node.devices);
  if (const config::Value* link = fields.find("link")) node.link = read_link(*link, catalogue);
  if (node.devices > node.shape->most_devices) {
    fields.at("kind").fail(fmt::format("a {} joins at most {} devices, and the node has {}",
                                       node.shape->name, node.shape->most_devices, node.devices));
  }
}

Host read_host(const config::Value& value, const config::Catalogue& catalogue) {
  const config::Fields fields(value, "a host", {"memory_bandwidth", "link", "devices"});
  Host host;
  if (const config::Value* rate = fields.find("memory_bandwidth"))
    host.memory_bandwidth = config::as_bandwidth(*rate);
  if (const config::Value* link = fields.find("link")) host.link = read_link(*link, catalogue);
  host.devices = static_cast<int>(fields.integer("devices", 0, 1, most_devices));
  return host;
}

/// Half of the memory of a node with two sockets is at each.
void add_host_memory(Wiring& wiring, const NodeType& type, NodeId node, size_t first_vertex) {
  if (std::isinf(type.host.memory_bandwidth.bytes_per_s)) return;
  std::vector<VertexId> hosts;
  for (size_t v = first_vertex; v < wiring.vertices.size(); ++v)
    if (wiring.vertices[v].kind == VertexKind::host) hosts.push_back(static_cast<VertexId>(v));
  const double part = type.host.memory_bandwidth.bytes_per_s / static_cast<double>(hosts.size());
  for (size_t k = 0; k < hosts.size(); ++k)
    wiring.connect(hosts[k], wiring.add(VertexKind::memory, node, k),
                   {.bandwidth = {part}, .sharing = Sharing::shared});
}

/// NICs that the node usually has; 0 where it does not say.
int usual_nics(const NodeType& type) {
  const config::Value* nics = type.fabric.find("nics");
  return nics ? static_cast<int>(config::as_int(*nics, 1, most_devices)) : 0;
}

}  // namespace

NodeType read_node(const config::Value& value, const config::Catalogue& catalogue) {
  const config::Value entry = catalogue.resolve("nodes", value);
  const config::Fields fields(entry, "a node",
                              {"device", "devices", "interconnect", "fabric", "price_per_hour",
                               "host", "name", "description", "source", "verified", "notes"});
  NodeType node;
  node.name = fields.text("name", config::name_of(value).value_or("node"));
  node.description = fields.text("description", "");
  const config::Value* device = fields.find("device");
  node.has_device = device != nullptr;
  if (device) node.device = read_device(*device, catalogue);
  node.devices = static_cast<int>(fields.integer("devices", 1, 1, most_devices));
  if (fields.find("price_per_hour")) node.price_per_hour = fields.real("price_per_hour", 0, 0, 1e9);
  node.host_link = {.kind = LinkKind::pcie,
                    .bandwidth = node.device.host_bandwidth,
                    .latency = node.device.host_latency};
  if (const config::Value* host = fields.find("host")) node.host = read_host(*host, catalogue);
  const config::Value* interconnect = fields.find("interconnect");
  node.interconnect = interconnect ? *interconnect : through_the_host(entry);
  read_interconnect(node, catalogue);
  if (const config::Value* usual = fields.find("fabric")) {
    fabric_shape(*usual);
    node.fabric = *usual;
  }
  return node;
}

NodeWiring wire_node(Wiring& wiring, const NodeType& type, NodeId node, int used) {
  NodeWiring laid{
      .node = node, .slots = type.devices, .nics = usual_nics(type), .host_link = type.host_link};
  const size_t first_vertex = wiring.vertices.size();
  for (int d = 0; d < used; ++d) laid.devices.push_back(wiring.add_device(node));
  laid.graph = type.graph;
  if (!names(type.graph, VertexKind::host)) {
    const VertexId host = wiring.add(VertexKind::host, node, 0);
    for (const VertexId device : laid.devices)
      wiring.connect(device, host, type.host.link.value_or(type.host_link));
  }
  type.shape->wire(wiring, laid, type.link, type.interconnect);
  add_host_memory(wiring, type, node, first_vertex);
  return laid;
}

}  // namespace pipewright
