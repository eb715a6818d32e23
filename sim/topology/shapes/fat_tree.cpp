// A folded Clos network of switches with k ports, rail-optimised: NIC r of every node of a pod is
// on the pod's leaf r, so that equal ranks of neighbouring nodes are two hops apart.
//   one leaf                       when all NICs fit on k ports                     2 hops
//   leaves and one tier of spines  up to k leaves                                   4 hops
//   blocks of k/2 leaves and a core above                                           6 hops
// Blocks keep to the rails, too: as many whole rails as they have room for, or a part of one. So
// equal ranks are as far apart on every rail, and most often need no core.
// A leaf has d = floor(k o / (1 + o)) ports down, o the `oversubscription` (1 is non-blocking), and
// the bandwidth of its ports up is that of its NICs divided by o. A leaf with fewer nodes than the
// others has as many ports up as they have. Latency is per hop.
// Spreading is perfect unless `spines: separate` is asked for: the spines above a leaf are one
// vertex, its uplinks one link with the sum of their bandwidths. Separate, a leaf has as many
// uplinks as ports up would take its NICs' bandwidth divided by o, uplink s to spine s of its
// block, and spine s of every block as many to cores of its own: every way up decides the way down.
// Source: Leiserson, "Fat-trees" (1985); NVIDIA DGX SuperPOD reference architecture (rails).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

constexpr int most_nics = 1024;

struct Switch {
  VertexId vertex = 0;
  double down = 0;   ///< bandwidth of all ports down, bytes/s
  int ports = 0;     ///< down
  size_t place = 0;  ///< among the spines of its block
};

struct Leaf {
  Switch self;
  int rail = 0;
};

struct Port {
  Nic nic;
  size_t node = 0;
};

struct FatTree {
  LinkType link;
  int ports = 64;
  double oversubscription = 1;
  bool separate = false;  ///< spines and cores one by one, not as one
};

void attach(Wiring& wiring, const FatTree& tree, Switch& above, VertexId below, double bandwidth) {
  LinkType link = tree.link;
  link.bandwidth.bytes_per_s = bandwidth;
  wiring.connect(below, above.vertex, link);
  above.down += bandwidth;
  ++above.ports;
}

/// The block of each leaf; a block has at most `width`. Leaves come rail by rail.
std::vector<size_t> blocks(const std::vector<Leaf>& leaves, size_t width) {
  std::map<int, size_t> rails;  // leaves of each
  for (const Leaf& leaf : leaves) ++rails[leaf.rail];
  size_t longest = 0;
  for (const auto& [rail, count] : rails) longest = std::max(longest, count);
  const size_t rails_a_block = std::max<size_t>(1, width / longest);
  const size_t blocks_a_rail = (longest + width - 1) / width;
  std::vector<size_t> block_of;
  for (auto rail = rails.begin(); rail != rails.end(); ++rail) {
    const auto index = static_cast<size_t>(std::distance(rails.begin(), rail));
    for (size_t i = 0; i < rail->second; ++i)
      block_of.push_back(index / rails_a_block * blocks_a_rail + i / width);
  }
  return block_of;
}

/// Returns how many links a switch has to the tier above.
int uplinks(const FatTree& tree, const Switch& below, double oversubscription) {
  if (!tree.separate) return 1;
  return std::max(1, static_cast<int>(std::ceil(below.ports / oversubscription)));
}

/// Joins `below` to switches of `kind`, those of one block to one, or uplink s of each to the s-th.
std::vector<Switch> tier(Wiring& wiring, const FatTree& tree, const std::vector<Switch>& below,
                         VertexKind kind, const std::vector<size_t>& block_of,
                         double oversubscription) {
  const Switch& fullest = *std::ranges::max_element(below, {}, &Switch::down);
  const int up = uplinks(tree, fullest, oversubscription);
  const double bandwidth = fullest.down / oversubscription / up;
  std::vector<Switch> switches;
  size_t first = 0;  // of the block's
  for (size_t i = 0; i < below.size(); ++i) {
    if (i == 0 || block_of[i] != block_of[i - 1]) first = switches.size();
    for (size_t s = first; s < first + static_cast<size_t>(up); ++s) {
      if (s == switches.size())
        switches.push_back({.vertex = wiring.add(kind, fabric, s), .place = s - first});
      attach(wiring, tree, switches[s], below[i].vertex, bandwidth);
    }
  }
  return switches;
}

/// Rail by rail, on each pod by pod.
std::vector<Leaf> leaves(Wiring& wiring, const FatTree& tree, const std::vector<Port>& nics) {
  const bool one_leaf = nics.size() <= static_cast<size_t>(tree.ports);
  const double share = tree.oversubscription / (1 + tree.oversubscription);
  const size_t down = std::max<size_t>(1, static_cast<size_t>(tree.ports * share));
  std::map<std::pair<int, size_t>, Leaf> leaf_of;  // rail, pod
  for (const Port& port : nics) {
    const std::pair<int, size_t> key =
        one_leaf ? std::pair<int, size_t>{} : std::pair{port.nic.rail, port.node / down};
    const size_t number = leaf_of.size();
    const auto [leaf, is_new] = leaf_of.try_emplace(key);
    if (is_new) leaf->second = {{wiring.add(VertexKind::leaf, fabric, number)}, key.first};
    attach(wiring, tree, leaf->second.self, port.nic.vertex, port.nic.bandwidth.bytes_per_s);
  }
  std::vector<Leaf> all;
  for (const auto& [key, leaf] : leaf_of) all.push_back(leaf);
  return all;
}

/// Spine s of every block over cores of its own; where spines are one, all over one core.
void join_blocks(Wiring& wiring, const FatTree& tree, std::vector<Switch> spines) {
  std::stable_sort(spines.begin(), spines.end(),
                   [](const Switch& a, const Switch& b) { return a.place < b.place; });
  std::vector<size_t> place;
  for (const Switch& spine : spines) place.push_back(spine.place);
  tier(wiring, tree, spines, VertexKind::core, place, 1);
}

void let_switches_reduce(const config::Fields& fields, LinkType& link) {
  if (link.kind != LinkKind::infiniband && link.kind != LinkKind::infiniband_sharp)
    fields.at("sharp").fail(fmt::format(
        "SHARP is of InfiniBand's switches, and the link is {}: 'edr', 'hdr', 'ndr' and 'xdr' are "
        "InfiniBand",
        name(link.kind)));
  link.kind = LinkKind::infiniband_sharp;
}

void wire(Wiring& wiring, std::span<const NodeWiring> nodes, const config::Value& options,
          const config::Catalogue& catalogue) {
  const config::Fields fields(
      options, "a fat-tree fabric",
      {"kind", "link", "nics", "measured", "oversubscription", "switch_ports", "spines", "sharp"});
  FatTree tree{.link = read_link(fields.at("link"), catalogue)};
  tree.ports = static_cast<int>(fields.integer("switch_ports", tree.link.switch_ports, 2, 65536));
  tree.oversubscription = fields.real("oversubscription", 1, 1, 1024);
  if (fields.boolean("sharp", false)) let_switches_reduce(fields, tree.link);
  if (const config::Value* spines = fields.find("spines"))
    tree.separate = config::as_choice(*spines, {"merged", "separate"}) == 1;
  std::vector<Port> nics;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const int usual = nodes[n].nics > 0 ? nodes[n].nics : nodes[n].slots;
    const int count = static_cast<int>(fields.integer("nics", usual, 1, most_nics));
    for (const Nic& nic : add_nics(wiring, nodes[n], count, tree.link)) nics.push_back({nic, n});
  }
  const std::vector<Leaf> bottom = leaves(wiring, tree, nics);
  if (bottom.size() == 1) return;
  const auto ports = static_cast<size_t>(tree.ports);
  const bool one_block = bottom.size() <= ports;
  const std::vector<size_t> together(bottom.size(), 0);
  std::vector<Switch> switches;
  for (const Leaf& leaf : bottom) switches.push_back(leaf.self);
  const std::vector<Switch> spines =
      tier(wiring, tree, switches, VertexKind::spine,
           one_block ? together : blocks(bottom, ports / 2), tree.oversubscription);
  if (!one_block) join_blocks(wiring, tree, spines);
}

}  // namespace

const FabricShape shape::fat_tree{"fat-tree",
                                  "a rail-optimised folded Clos network; latency per hop", wire};

}  // namespace pipewright
