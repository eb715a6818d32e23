#include "topology/cluster/dot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pipewright {
namespace {

constexpr std::string_view indent = "    ";

std::string quoted(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    if (static_cast<unsigned char>(c) >= ' ') all += c;
  }
  return all + '"';
}

std::string label(const Link& link) {
  return fmt::format("{} {:.12g} us", text_of(link.bandwidth),
                     static_cast<double>(link.latency.ps) * 1e-6);
}

std::string_view shape_of(VertexKind kind) {
  if (kind == VertexKind::device) return "box";
  const bool outside = kind == VertexKind::nic || kind == VertexKind::host;
  return outside || kind == VertexKind::memory ? "ellipse" : "hexagon";
}

std::string vertex_line(const Cluster& cluster, VertexId id) {
  const Vertex& vertex = cluster.topology.vertices()[id];
  std::string own = name(vertex);
  if (vertex.kind == VertexKind::device)
    if (const Device* device = cluster.device(static_cast<int>(vertex.index)))
      own += ": " + device->name;
  return fmt::format("{}v{} [label={}, shape={}];\n", indent, id, quoted(own),
                     shape_of(vertex.kind));
}

std::string edge_line(const Link& there, const Link& back) {
  std::string text = label(there);
  if (label(back) != text) text += " / " + label(back);
  if (there.sharing == Sharing::shared) text += " (shared by both directions)";
  return fmt::format("{}v{} -- v{} [label={}];\n", indent, there.from, there.to, quoted(text));
}

/// Returns the vertices of each node and, last, of the fabric.
std::vector<std::string> vertices_of(const Cluster& cluster) {
  std::vector<std::string> lines(cluster.nodes.size() + 1);
  for (VertexId v = 0; v < cluster.topology.vertices().size(); ++v) {
    const NodeId node = cluster.topology.vertices()[v].node;
    (node == fabric ? lines.back() : lines[node]) += vertex_line(cluster, v);
  }
  return lines;
}

}  // namespace

std::string text_of(Bandwidth bandwidth) {
  const double rate = bandwidth.bytes_per_s;
  return std::isfinite(rate) ? fmt::format("{:.12g} GB/s", rate / 1e9) : "unbounded";
}

std::string to_dot(const Cluster& cluster) {
  std::string dot = fmt::format("graph {} {{\n", quoted(cluster.name));
  const std::vector<std::string> lines = vertices_of(cluster);
  for (size_t n = 0; n < cluster.nodes.size(); ++n) {
    dot += fmt::format("  subgraph cluster_{} {{\n{}label={};\n{}  }}\n", n, indent,
                       quoted(fmt::format("node {}: {}", n, cluster.nodes[n].type)), lines[n]);
  }
  dot += lines.back();
  const std::span<const Link> links = cluster.topology.links();
  for (size_t l = 0; l + 1 < links.size(); l += 2) dot += edge_line(links[l], links[l + 1]);
  return dot + "}\n";
}

}  // namespace pipewright
