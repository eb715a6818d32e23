#include "network/collectives/wired_alike.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>

namespace pipewright::collective {
namespace {

/// The node of each of the members' nodes.
std::vector<NodeId> nodes_of(const Topology& topology, const Members& members) {
  std::vector<NodeId> nodes;
  for (size_t k = 0; k + 1 < members.nodes.size(); ++k)
    nodes.push_back(topology.node(members.devices[static_cast<size_t>(members.nodes[k])]));
  return nodes;
}

/// By vertex its place among those of its node.
std::vector<int64_t> places_of(const Topology& topology) {
  std::unordered_map<NodeId, int64_t> so_far;
  std::vector<int64_t> places;
  for (const Vertex& vertex : topology.vertices()) places.push_back(so_far[vertex.node]++);
  return places;
}

/// Says what a node's routes depend on.
class Description {
 public:
  explicit Description(const Topology& topology)
      : topology_(topology), place_(places_of(topology)) {}

  std::vector<int64_t> of(std::span<const int> members, std::span<const LinkId> links) const {
    std::vector<int64_t> all;
    const NodeId node = topology_.node(members.front());
    for (const int member : members) all.push_back(place_[topology_.vertex(member)]);
    for (const LinkId id : links) {
      const Link& link = topology_.links()[id];
      for (const VertexId end : {link.from, link.to}) add_end(end, node, all);
      all.insert(all.end(), {link.latency.ps, std::bit_cast<int64_t>(link.bandwidth.bytes_per_s),
                             link.joins_groups, link.of_host});
    }
    return all;
  }

 private:
  void add_end(VertexId end, NodeId node, std::vector<int64_t>& all) const {
    const Vertex& vertex = topology_.vertices()[end];
    if (vertex.node == node)
      all.insert(all.end(), {static_cast<int64_t>(vertex.kind), place_[end]});
    else
      all.insert(all.end(), {-1, end});
  }

  const Topology& topology_;
  std::vector<int64_t> place_;
};

}  // namespace

NodeLinks::NodeLinks(const Topology& topology, const Members& members)
    : topology_(topology), nodes_(nodes_of(topology, members)), links_(nodes_.size()) {
  std::unordered_map<NodeId, size_t> numbers;
  for (size_t number = 0; number < nodes_.size(); ++number) numbers[nodes_[number]] = number;
  for (LinkId id = 0; id < topology.links().size(); ++id) {
    const Link& link = topology.links()[id];
    const NodeId from = topology.vertices()[link.from].node;
    const NodeId to = topology.vertices()[link.to].node;
    if (const auto found = numbers.find(from); found != numbers.end())
      links_[found->second].push_back(id);
    if (const auto found = numbers.find(to); from != to && found != numbers.end())
      links_[found->second].push_back(id);
  }
}

bool NodeLinks::touches(size_t node, LinkId id) const {
  const Link& link = topology_.links()[id];
  return topology_.vertices()[link.from].node == nodes_[node] ||
         topology_.vertices()[link.to].node == nodes_[node];
}

size_t NodeLinks::place(size_t node, LinkId link) const {
  const std::vector<LinkId>& all = links_[node];
  return static_cast<size_t>(std::lower_bound(all.begin(), all.end(), link) - all.begin());
}

std::vector<std::vector<size_t>> nodes_wired_alike(const Topology& topology, const Members& members,
                                                   const NodeLinks& links) {
  const Description description(topology);
  std::map<std::vector<int64_t>, size_t> known;
  std::vector<std::vector<size_t>> groups;
  for (size_t node = 0; node + 1 < members.nodes.size(); ++node) {
    const auto first = static_cast<size_t>(members.nodes[node]);
    const auto count = static_cast<size_t>(members.nodes[node + 1]) - first;
    const auto own = std::span(members.devices).subspan(first, count);
    const auto [found, is_new] =
        known.try_emplace(description.of(own, links.of(node)), groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(node);
  }
  return groups;
}

std::vector<int> places_wired_alike(const Topology& topology, const Members& members) {
  std::vector<int> places(members.devices.size());
  int next = 0;
  for (const std::vector<size_t>& nodes :
       nodes_wired_alike(topology, members, NodeLinks(topology, members))) {
    int count = 0;
    for (const size_t node : nodes) {
      count = members.nodes[node + 1] - members.nodes[node];
      for (int place = 0; place < count; ++place)
        places[static_cast<size_t>(members.nodes[node] + place)] = next + place;
    }
    next += count;
  }
  return places;
}

}  // namespace pipewright::collective
