// A folded Clos network of switches with k ports, rail-optimised: NIC r of every node of a pod is
// on the pod's leaf r, so that equal ranks of neighbouring nodes are two hops apart.
//   one leaf                       when all NICs fit on k ports                     2 hops
//   leaves and one tier of spines  up to k leaves                                   4 hops
//   blocks of k/2 leaves and a core above                                           6 hops
// A leaf has d = floor(k o / (1 + o)) ports down, o the `oversubscription` (1 is non-blocking), and
// the bandwidth of its ports up is that of its NICs divided by o. Latency is per hop.
// Assumes perfect spreading: the spines above a leaf are one vertex, its uplinks one link with the
// sum of their bandwidths. What uneven spreading (ECMP) costs is not in here.
// Source: Leiserson, "Fat-trees" (1985); NVIDIA DGX SuperPOD reference architecture (rails).
#include <map>

#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

constexpr int most_nics = 1024;

struct Switch {
  VertexId vertex = 0;
  double down = 0;  ///< bandwidth of all ports down, bytes/s
};

struct Port {
  Nic nic;
  size_t node = 0;
};

struct FatTree {
  LinkType link;
  int ports = 64;
  double oversubscription = 1;
};

void attach(Wiring& wiring, const FatTree& tree, Switch& above, VertexId below, double bandwidth) {
  LinkType link = tree.link;
  link.bandwidth.bytes_per_s = bandwidth;
  wiring.connect(below, above.vertex, link);
  above.down += bandwidth;
}

/// Joins `below` to switches of `kind`, `width` to each.
std::vector<Switch> tier(Wiring& wiring, const FatTree& tree, const std::vector<Switch>& below,
                         VertexKind kind, size_t width, double oversubscription) {
  std::vector<Switch> switches;
  for (size_t i = 0; i < below.size(); ++i) {
    if (i % width == 0) switches.push_back({wiring.add(kind, fabric, i / width)});
    attach(wiring, tree, switches.back(), below[i].vertex, below[i].down / oversubscription);
  }
  return switches;
}

std::vector<Switch> leaves(Wiring& wiring, const FatTree& tree, const std::vector<Port>& nics) {
  const bool one_leaf = nics.size() <= static_cast<size_t>(tree.ports);
  const double share = tree.oversubscription / (1 + tree.oversubscription);
  const size_t down = std::max<size_t>(1, static_cast<size_t>(tree.ports * share));
  std::map<std::pair<size_t, int>, size_t> leaf_of;  // pod, rail
  std::vector<Switch> switches;
  for (const Port& port : nics) {
    const auto key = one_leaf ? std::pair<size_t, int>{0, 0}
                              : std::pair<size_t, int>{port.node / down, port.nic.rail};
    const auto [leaf, is_new] = leaf_of.emplace(key, switches.size());
    if (is_new) switches.push_back({wiring.add(VertexKind::leaf, fabric, switches.size())});
    attach(wiring, tree, switches[leaf->second], port.nic.vertex, port.nic.bandwidth.bytes_per_s);
  }
  return switches;
}

void wire(Wiring& wiring, std::span<const NodeWiring> nodes, const config::Value& options,
          const config::Catalogue& catalogue) {
  const config::Fields fields(options, "a fat-tree fabric",
                              {"kind", "link", "nics", "oversubscription", "switch_ports"});
  FatTree tree{.link = read_link(fields.at("link"), catalogue)};
  tree.ports = static_cast<int>(fields.integer("switch_ports", tree.link.switch_ports, 2, 65536));
  tree.oversubscription = fields.real("oversubscription", 1, 1, 1024);
  std::vector<Port> nics;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const int usual = nodes[n].nics > 0 ? nodes[n].nics : nodes[n].slots;
    const int count = static_cast<int>(fields.integer("nics", usual, 1, most_nics));
    for (const Nic& nic : add_nics(wiring, nodes[n], count, tree.link)) nics.push_back({nic, n});
  }
  const std::vector<Switch> bottom = leaves(wiring, tree, nics);
  if (bottom.size() == 1) return;
  const size_t ports = static_cast<size_t>(tree.ports);
  const size_t width = bottom.size() <= ports ? ports : ports / 2;
  const std::vector<Switch> spines =
      tier(wiring, tree, bottom, VertexKind::spine, width, tree.oversubscription);
  if (spines.size() > 1) tier(wiring, tree, spines, VertexKind::core, spines.size(), 1);
}

}  // namespace

const FabricShape shape::fat_tree{"fat-tree",
                                  "a rail-optimised folded Clos network; latency per hop", wire};

}  // namespace pipewright
