// A token is sent once to every node that has experts of it, and spread there over the node's own
// links while others cross the network (DeepEP, github.com/deepseek-ai/DeepEP; HybridEP; arXiv
// 2412.19437, 3.2.2); its results are summed in the node before they go back.
//
//   share = p n / k,   p = 1 - C(E - E/n, k) / C(E, k)
//   E experts, k active, n nodes that have E / n each; p is the chance that a node has one of k
//   different experts chosen evenly. Each of k copies goes to another node with 1 - 1/n: of
//   k (n - 1) / n copies p (n - 1) are sent.
//
// What moves inside a node is scaled with the rest: it is hidden behind what crosses. Left out:
// routing that is limited to a few nodes, which sends less.
#include "plan/dispatch.hpp"

#include <algorithm>

#include "network/collectives/collective.hpp"

namespace pipewright {

bool sends_once_a_node(const Experiment& experiment) {
  return experiment.dispatch == Dispatch::once_a_node;
}

double once_a_node(const Experts& experts, int nodes) {
  if (nodes <= 1) return 1;
  const auto count = static_cast<double>(experts.count), elsewhere = count - count / nodes;
  double misses = 1;
  for (int64_t chosen = 0; chosen < experts.active; ++chosen) {
    const auto drawn = static_cast<double>(chosen);
    misses *= std::max(elsewhere - drawn, 0.0) / (count - drawn);
  }
  return std::min(1.0, (1 - misses) * nodes / static_cast<double>(experts.active));
}

double dispatch_share(const Experts& experts, const Topology& topology, const Mesh& mesh) {
  if (mesh.expert <= 1) return 1;
  const std::span<const int> group(mesh.devices.data(), static_cast<size_t>(mesh.expert));
  return once_a_node(experts, collective::members_on(topology, group).node_count());
}

void scale_dispatch(std::vector<Layer>& layers, double share) {
  if (share == 1) return;
  const auto scale = [share](Segments& segments) {
    for (Segment& segment : segments) {
      if (!segment.collective || segment.collective->axis != Axis::expert) continue;
      if (segment.collective->kind != CollectiveKind::all_to_all) continue;
      segment.collective->bytes =
          whole_bytes(static_cast<double>(segment.collective->bytes.count) * share);
    }
  };
  for (Layer& layer : layers) {
    scale(layer.forward);
    scale(layer.recompute);
    scale(layer.input_gradient);
    scale(layer.weight_gradient);
  }
}

}  // namespace pipewright
