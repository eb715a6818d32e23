// Nodes and switches joined link by link, as the file draws them:
//
//   fabric:
//     kind: graph
//     links:
//       - {between: [node 0, switch 0], link: hdr}
//       - {between: [switch 0, switch 1], link: {bandwidth: 800 Gb/s, latency: 1 us}}
//
// Bandwidth each way, latency per link. Links between the same two ends stand beside each other.
// A node has a router of its own where its links meet, which its NICs reach at once and with all
// the bandwidth of these links; routers forward, so nodes may be joined directly.
#include <fmt/format.h>

#include <charconv>
#include <map>

#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

constexpr int most_nics = 1024;
constexpr uint32_t most_switches = 1 << 20;
constexpr const char* form = "the end of a link must be 'node N' or 'switch N'";

struct End {
  bool is_node = false;
  uint32_t index = 0;
  auto operator<=>(const End&) const = default;
};

struct Joint {
  End a, b;
  LinkType link;
};

End read_end(const config::Value& value, size_t nodes) {
  const std::string& text = config::as_text(value, form);
  const bool node = text.starts_with("node "), other = text.starts_with("switch ");
  uint32_t index = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] =
      std::from_chars(text.data() + std::min(text.size(), text.find(' ') + 1), end, index);
  if ((!node && !other) || error != std::errc() || at != end)
    value.fail(fmt::format("{}: '{}'", form, text));
  if (node && index >= nodes)
    value.misfit(fmt::format("'{}', but the cluster has {} nodes", text, nodes));
  if (index >= most_switches) value.fail(fmt::format("at most {} switches", most_switches));
  return {node, index};
}

std::vector<Joint> read_joints(const config::Value& links, size_t nodes,
                               const config::Catalogue& catalogue) {
  if (!links.is_list() || links.items.empty())
    links.fail("'links' must be a list of {between: [...], link: ...}");
  std::vector<Joint> joints;
  for (const config::Value& item : links.items) {
    const config::Fields fields(item, "a link of a graph", {"between", "link"});
    const config::Value& between = fields.at("between");
    if (!between.is_list() || between.items.size() != 2)
      between.fail("'between' must be a list of two ends, such as [node 0, switch 0]");
    joints.push_back({read_end(between.items[0], nodes), read_end(between.items[1], nodes),
                      read_link(fields.at("link"), catalogue)});
    if (joints.back().a == joints.back().b) between.fail("a link cannot end where it begins");
  }
  return joints;
}

void wire(Wiring& wiring, std::span<const NodeWiring> nodes, const config::Value& options,
          const config::Catalogue& catalogue) {
  const config::Fields fields(options, "a graph fabric", {"kind", "links", "nics", "measured"});
  const std::vector<Joint> joints = read_joints(fields.at("links"), nodes.size(), catalogue);
  const int nics = static_cast<int>(fields.integer("nics", 1, 1, most_nics));
  std::map<End, VertexId> laid;
  std::map<uint32_t, LinkType> port;  // all links of a node together
  for (const Joint& joint : joints) {
    for (const End& end : {joint.a, joint.b}) {
      const auto kind = end.is_node ? VertexKind::leaf : VertexKind::spine;
      const auto [found, is_new] = laid.try_emplace(end);
      if (is_new) found->second = wiring.add(kind, fabric, end.index);
      if (!end.is_node) continue;
      const auto [known, first] = port.try_emplace(end.index, joint.link);
      if (!first) known->second.bandwidth.bytes_per_s += joint.link.bandwidth.bytes_per_s;
    }
  }
  for (const auto& [node, all] : port)
    attach_nics(wiring, nodes[node], laid.at({true, node}), nics, all);
  for (const Joint& joint : joints) wiring.connect(laid.at(joint.a), laid.at(joint.b), joint.link);
}

}  // namespace

const FabricShape shape::graph_fabric{"graph", "nodes and switches link by link, as 'links' gives",
                                      wire};

}  // namespace pipewright
