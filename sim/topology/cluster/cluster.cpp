#include "topology/cluster/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/catalogue.hpp"
#include "topology/cluster/node.hpp"
#include "topology/reach.hpp"
#include "topology/shapes/shapes.hpp"

namespace pipewright {
namespace {

using config::Catalogue;
using config::Fields;
using config::Value;

constexpr int most_devices_of_matrix = 1024;

/// A group of nodes of one kind.
struct Group {
  NodeType type;
  int nodes = 1;
  int used = 1;  ///< devices of each node
};

Fields fields_of(const Value& entry, std::vector<std::string_view> keys) {
  keys.insert(keys.end(), {"name", "description", "source", "verified", "notes", "speeds", "nccl"});
  return Fields(entry, "a cluster", keys);
}

int devices_used(const Fields& fields, const NodeType& type, int nodes) {
  const Value* devices = fields.find("devices");
  if (!devices) return type.devices;
  const int64_t all = int64_t{nodes} * type.devices;
  const int64_t used = config::as_int(*devices, 1, all);
  if (used % nodes != 0) {
    devices->fail(
        fmt::format("{} devices cannot be the same number in each of {} nodes", used, nodes));
  }
  return static_cast<int>(used / nodes);
}

Group read_group(const Fields& fields, const Catalogue& catalogue) {
  Group group{.type = read_node(fields.at("node"), catalogue)};
  group.nodes = static_cast<int>(fields.integer("nodes", 1, 1, most_devices_of_cluster));
  group.used = devices_used(fields, group.type, group.nodes);
  return group;
}

std::vector<Group> read_groups(const Value& list, const Catalogue& catalogue) {
  if (!list.is_list() || list.items.empty())
    list.fail("groups must be a list such as [{node: p3.8xlarge, nodes: 8}]");
  std::vector<Group> groups;
  for (const Value& item : list.items)
    groups.push_back(read_group(Fields(item, "a group", {"node", "nodes", "devices"}), catalogue));
  return groups;
}

void check_size(const std::vector<Group>& groups, const Value& at) {
  int64_t devices = 0;
  for (const Group& group : groups) devices += int64_t{group.nodes} * group.used;
  if (devices > most_devices_of_cluster) {
    at.fail(fmt::format("a cluster has at most {} devices, this one {}", most_devices_of_cluster,
                        devices));
  }
}

/// What was measured on a fabric; nullptr where nothing was, as null says too.
const Value* measured_on(const Value& fabric) {
  const Value* measured = fabric.find("measured");
  return measured && !measured->is_null() ? measured : nullptr;
}

/// The fabric that joins the nodes; nullptr where there is but one node and none is named. One that
/// only says what was measured on it is that of the nodes.
const Value* fabric_of(const Fields& fields, const std::vector<Group>& groups) {
  const Value* given = fields.find("fabric");
  const bool is_usual = given && given->is_map() && !given->find("kind") &&
                        given->find("measured") && groups[0].type.fabric.is_map();
  if (given && !is_usual) return given;
  int64_t nodes = 0;
  for (const Group& group : groups) nodes += group.nodes;
  if (nodes == 1) return nullptr;
  if (groups[0].type.fabric.is_map()) return &groups[0].type.fabric;
  fields.value().fail(fmt::format(
      "{} nodes need the key 'fabric', such as {{kind: fat-tree, link: hdr, nics: 8}}", nodes));
}

void count_nics(Cluster& cluster, const Wiring& wiring) {
  for (const Vertex& vertex : wiring.vertices)
    if (vertex.kind == VertexKind::nic) ++cluster.nodes[vertex.node].nics;
}

/// Returns the number of a device among those of the cluster, which has it from then on.
int type_number(Cluster& cluster, const Device& device) {
  std::vector<Device>& all = cluster.device_types;
  const auto found = std::ranges::find(all, device);
  const auto number = static_cast<int>(found - all.begin());
  if (found == all.end()) all.push_back(device);
  return number;
}

Cluster of_groups(const std::vector<Group>& groups, const Value* joined_by,
                  const Catalogue& catalogue) {
  Cluster cluster;
  Wiring wiring;
  std::vector<NodeWiring> laid;
  // Devices are of kinds where every node says its own.
  const bool has_devices =
      std::ranges::all_of(groups, [](const Group& group) { return group.type.has_device; });
  for (const Group& group : groups) {
    for (int n = 0; n < group.nodes; ++n) {
      const int node = static_cast<int>(cluster.nodes.size());
      cluster.nodes.push_back({.type = group.type.name,
                               .first_device = cluster.devices(),
                               .devices = group.used,
                               .price_per_hour = group.type.price_per_hour,
                               .host_memory = group.type.host.memory_bandwidth});
      cluster.node_of.insert(cluster.node_of.end(), static_cast<size_t>(group.used), node);
      laid.push_back(wire_node(wiring, group.type, static_cast<NodeId>(node), group.used));
    }
    if (has_devices)
      cluster.type_of.resize(cluster.node_of.size(), type_number(cluster, group.type.device));
  }
  if (joined_by) fabric_shape(*joined_by).wire(wiring, laid, *joined_by, catalogue);
  if (const Value* factor = joined_by ? joined_by->find("oversubscription") : nullptr)
    cluster.oversubscription = config::as_number(*factor, 1, 1024);
  count_nics(cluster, wiring);
  cluster.topology = Topology(std::move(wiring));
  return cluster;
}

/// `rows` as a table of n rows of n values; `read` turns one into the number it stands for. What
/// stands on the diagonal is not read.
template <class T, class Read>
std::vector<T> read_matrix(const Value& rows, size_t n, Read read) {
  const auto check = [n](const Value& list, const char* what) {
    if (!list.is_list() || list.items.size() != n)
      list.fail(fmt::format("must be a list of {} {}, one for each device", n, what));
  };
  check(rows, "rows (row = from, column = to)");
  std::vector<T> table(n * n);
  for (size_t i = 0; i < n; ++i) {
    check(rows.items[i], "values");
    for (size_t j = 0; j < n; ++j)
      if (i != j) table[i * n + j] = read(rows.items[i].items[j]);
  }
  return table;
}

void wire_pairs(Wiring& wiring, const Fields& fields, const LinkType& link) {
  const size_t n = wiring.devices.size();
  if (n > most_devices_of_matrix) {
    fields.at("devices").fail(
        fmt::format("a matrix is for at most {} devices", most_devices_of_matrix));
  }
  PairTable table{std::vector<Time>(n * n, link.latency),
                  std::vector<Bandwidth>(n * n, link.bandwidth)};
  if (const Value* rows = fields.find("latency_matrix"))
    table.latency = read_matrix<Time>(*rows, n, config::as_time);
  if (const Value* rows = fields.find("bandwidth_matrix"))
    table.bandwidth = read_matrix<Bandwidth>(*rows, n, config::as_bandwidth);
  wire_matrix(wiring, wiring.devices, table);
}

Cluster of_devices(const Fields& fields, const Catalogue& catalogue) {
  const int devices =
      static_cast<int>(config::as_int(fields.at("devices"), 1, most_devices_of_cluster));
  const bool matrix = fields.find("latency_matrix") || fields.find("bandwidth_matrix");
  const bool alone = matrix || devices == 1;
  const Value* given = alone ? fields.find("link") : &fields.at("link");
  const LinkType link = given ? read_link(*given, catalogue) : LinkType{};
  Cluster cluster;
  Wiring wiring;
  for (int d = 0; d < devices; ++d) {
    wiring.add_device(static_cast<NodeId>(d));
    cluster.nodes.push_back({"device", d, 1});
    cluster.node_of.push_back(d);
  }
  if (const Value* device = fields.find("device")) {
    cluster.device_types.push_back(read_device(*device, catalogue));
    cluster.type_of.assign(cluster.node_of.size(), 0);
  }
  if (matrix)
    wire_pairs(wiring, fields, link);
  else
    wire_switch(wiring, wiring.devices, link);
  cluster.topology = Topology(std::move(wiring));
  return cluster;
}

/// Links may be drawn so that they leave devices apart.
Cluster in_one_piece(Cluster cluster, const Value& entry) {
  const std::optional<int> apart = first_unreached(cluster.topology);
  if (!apart) return cluster;
  const Value* fabric = entry.find("fabric");
  const bool between_nodes = cluster.node_of[0] != cluster.node_of[static_cast<size_t>(*apart)];
  (fabric && between_nodes ? *fabric : entry)
      .fail(
          fmt::format("no route from device 0 to device {}: links must join all devices", *apart));
}

std::vector<double> read_speeds(const Value& list, const Cluster& cluster) {
  if (!list.is_list() || list.items.size() != static_cast<size_t>(cluster.devices()))
    list.fail(
        fmt::format("must be a list of {} speeds, one for each device, 1 = as fast as its "
                    "kind",
                    cluster.devices()));
  std::vector<double> speeds;
  for (const Value& speed : list.items) speeds.push_back(config::as_number(speed, 0.001, 100));
  return speeds;
}

Cluster read_nodes(const Value& entry, const Fields& fields, const std::vector<Group>& groups,
                   const Catalogue& catalogue) {
  Cluster cluster = in_one_piece(of_groups(groups, fabric_of(fields, groups), catalogue), entry);
  if (const Value* fabric = fields.find("fabric"))
    if (const Value* measured = measured_on(*fabric)) cluster.measured = *measured;
  return cluster;
}

Cluster read_form(const Value& entry, const Catalogue& catalogue) {
  if (entry.find("groups")) {
    const Fields fields = fields_of(entry, {"groups", "fabric"});
    const std::vector<Group> groups = read_groups(fields.at("groups"), catalogue);
    check_size(groups, fields.at("groups"));
    return read_nodes(entry, fields, groups, catalogue);
  }
  if (entry.find("node")) {
    const Fields fields = fields_of(entry, {"node", "nodes", "devices", "fabric"});
    const std::vector<Group> groups{read_group(fields, catalogue)};
    check_size(groups, entry);
    return read_nodes(entry, fields, groups, catalogue);
  }
  const Fields fields =
      fields_of(entry, {"devices", "device", "link", "latency_matrix", "bandwidth_matrix"});
  if (!fields.find("devices"))
    entry.lacks("a cluster needs the key 'node', 'groups', or 'devices' with 'link'");
  return of_devices(fields, catalogue);
}

}  // namespace

double Cluster::price_per_hour(std::span<const int32_t> numbers) const {
  double sum = 0;
  std::set<int> rented;
  for (const int32_t number : numbers) {
    const int node = node_of[static_cast<size_t>(number)];
    const std::optional<double>& whole = nodes[static_cast<size_t>(node)].price_per_hour;
    const Device* one = device(number);
    if (whole && !rented.insert(node).second) continue;
    const double price = whole ? *whole : one ? one->operating.price_per_hour : 0;
    if (price <= 0) return 0;
    sum += price;
  }
  return sum;
}

Cluster read_cluster(const Value& value, const Catalogue& catalogue) {
  const Value entry = catalogue.resolve("clusters", value);
  Cluster cluster = read_form(entry, catalogue);
  const auto text = [&](std::string_view key, const std::string& otherwise) {
    const Value* given = entry.find(key);
    return given ? config::as_text(*given) : otherwise;
  };
  cluster.name = text("name", config::name_of(value).value_or("cluster"));
  cluster.description = text("description", "");
  if (const Value* speeds = entry.find("speeds")) cluster.speeds = read_speeds(*speeds, cluster);
  if (const Value* release = entry.find("nccl")) cluster.nccl = read_nccl_release(*release);
  return cluster;
}

}  // namespace pipewright
