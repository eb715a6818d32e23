#include "run/cluster_layout.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "run/link_busy.hpp"

namespace pipewright {
namespace {

constexpr VertexId nowhere = UINT32_MAX;

/// Returns the switch between nodes that is the fewest links from `device`, or `nowhere`. Switches
/// and NICs of the node pass its bytes on, other devices do not.
VertexId switch_of(const Topology& topology, VertexId device) {
  const NodeId node = topology.vertices()[device].node;
  std::vector<VertexId> reached{device};
  std::set<VertexId> known{device};
  for (size_t next = 0; next < reached.size(); ++next) {
    for (const LinkId link : topology.links_of(reached[next])) {
      const VertexId to = topology.links()[link].to;
      const Vertex& vertex = topology.vertices()[to];
      if (vertex.node == fabric) return to;
      const bool passes_on = vertex.node == node && vertex.kind != VertexKind::device;
      if (passes_on && known.insert(to).second) reached.push_back(to);
    }
  }
  return nowhere;
}

/// Nodes in sets that grow together.
class NodeSets {
 public:
  explicit NodeSets(size_t nodes) : first_(nodes) { std::iota(first_.begin(), first_.end(), 0); }
  int32_t first(int32_t node) const {
    while (first_[static_cast<size_t>(node)] != node) node = first_[static_cast<size_t>(node)];
    return node;
  }
  void join(int32_t a, int32_t b) {
    const auto [low, high] = std::minmax({first(a), first(b)});
    first_[static_cast<size_t>(high)] = low;
  }

 private:
  std::vector<int32_t> first_;  ///< of the same set, never behind the node
};

class LayoutFinder {
 public:
  explicit LayoutFinder(const Topology& topology) : topology_(topology) {
    for (int device = 0; device < topology.devices(); ++device)
      layout_.nodes.push_back(static_cast<int32_t>(topology.node(device)));
    find_switches();
    find_pods();
    find_rails();
  }

  ClusterLayout take(const LinkBytes& bytes, Time makespan) && {
    for (VertexId v = 0; v < topology_.vertices().size(); ++v)
      if (topology_.vertices()[v].node == fabric) add_switch(v, bytes, makespan);
    return std::move(layout_);
  }

 private:
  bool has_fabric() const {
    return std::ranges::any_of(topology_.vertices(),
                               [](const Vertex& vertex) { return vertex.node == fabric; });
  }

  void find_switches() {
    switches_.resize(layout_.nodes.size(), nowhere);
    if (!has_fabric()) return;
    for (size_t device = 0; device < switches_.size(); ++device)
      switches_[device] = switch_of(topology_, topology_.vertex(static_cast<int>(device)));
  }

  void find_pods() {
    const int32_t last = layout_.nodes.empty() ? -1 : std::ranges::max(layout_.nodes);
    NodeSets sets(static_cast<size_t>(last + 1));
    std::vector<int32_t> first_at(topology_.vertices().size(), -1);
    for (size_t device = 0; device < switches_.size(); ++device) {
      if (switches_[device] == nowhere) continue;
      int32_t& first = first_at[switches_[device]];
      if (first < 0) first = layout_.nodes[device];
      sets.join(first, layout_.nodes[device]);
    }
    std::vector<int32_t> number(static_cast<size_t>(last + 1), -1);
    for (int32_t node = 0; node <= last; ++node) {
      int32_t& pod = number[static_cast<size_t>(sets.first(node))];
      if (pod < 0) pod = pods_++;
      layout_.pods.push_back(pod);
    }
  }

  int32_t pod_of(size_t device) const {
    return layout_.pods[static_cast<size_t>(layout_.nodes[device])];
  }

  void find_rails() {
    std::vector<std::set<VertexId>> of_pod(static_cast<size_t>(pods_));
    for (size_t device = 0; device < switches_.size(); ++device)
      if (switches_[device] != nowhere)
        of_pod[static_cast<size_t>(pod_of(device))].insert(switches_[device]);
    places_.resize(topology_.vertices().size());
    for (size_t pod = 0; pod < of_pod.size(); ++pod) {
      int32_t rail = 0;
      for (const VertexId v : of_pod[pod]) places_[v] = {static_cast<int32_t>(pod), rail++};
    }
    for (const VertexId its : switches_)
      layout_.rails.push_back(its == nowhere ? -1 : places_[its].rail);
  }

  void add_switch(VertexId v, const LinkBytes& bytes, Time makespan) {
    FabricSwitch drawn{
        .name = name(topology_.vertices()[v]), .pod = places_[v].pod, .rail = places_[v].rail};
    for (const LinkId out : topology_.links_of(v)) {
      for (const LinkId link : {out, opposite(out)}) {
        const double busy = busy_fraction(topology_.links()[link], bytes.of(link), makespan);
        if (busy <= drawn.busy_fraction) continue;
        drawn.busy_fraction = busy;
        drawn.bytes = bytes.of(link);
      }
    }
    layout_.switches.push_back(std::move(drawn));
  }

  struct Place {
    int32_t pod = -1, rail = -1;
  };

  const Topology& topology_;
  ClusterLayout layout_;
  std::vector<VertexId> switches_;  ///< by device
  std::vector<Place> places_;       ///< by vertex
  int32_t pods_ = 0;
};

}  // namespace

ClusterLayout cluster_layout(const Topology& topology, const LinkBytes& bytes, Time makespan) {
  return LayoutFinder(topology).take(bytes, makespan);
}

}  // namespace pipewright
