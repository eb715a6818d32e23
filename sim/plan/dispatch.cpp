// A token is sent once to every node that has experts of it, and spread there over the node's own
// links while others cross the network (DeepEP, github.com/deepseek-ai/DeepEP; HybridEP; arXiv
// 2412.19437, 3.2.2); its results are summed in the node before they go back.
//
//   share = p n / k,   p = 1 - C(E - E/n, k) / C(E, k)
//   E experts, k active, n nodes that have E / n each; p is the chance that a node has one of k
//   different experts chosen evenly. Each of k copies goes to another node with 1 - 1/n: of
//   k (n - 1) / n copies p (n - 1) are sent.
//
// Where a token is limited to a of G groups (2412.19437, 2.1.2), these too are chosen evenly, and
// then the k experts among the a E / G that they hold. With j of its groups chosen a node offers
// o = j E / G experts, all E / n where a group spans nodes:
//   p = sum over j of P(j) (1 - C(a E/G - o, k) / C(a E/G, k)),
// with P(j) hypergeometric. Groups and nodes hold experts in order.
//
// What moves inside a node is scaled with the rest: it is hidden behind what crosses.
#include "plan/dispatch.hpp"

#include <algorithm>
#include <boost/math/distributions/hypergeometric.hpp>

#include "network/collectives/collective.hpp"

namespace pipewright {
namespace {

/// Returns the chance that none of `drawn` different ones out of `all` is among `marked` of them.
double misses(double all, double marked, int64_t drawn) {
  double chance = 1;
  for (int64_t k = 0; k < drawn; ++k) {
    const auto before = static_cast<double>(k);
    chance *= std::max(all - marked - before, 0.0) / (all - before);
  }
  return chance;
}

/// Returns the chance that `hits` of `drawn` different ones out of `all` are among `marked` of
/// them.
double hits_exactly(int64_t all, int64_t marked, int64_t drawn, int64_t hits) {
  if (hits > std::min(marked, drawn) || drawn - hits > all - marked) return 0;
  const boost::math::hypergeometric_distribution<double> drawing(
      static_cast<uint64_t>(marked), static_cast<uint64_t>(drawn), static_cast<uint64_t>(all));
  return pdf(drawing, static_cast<uint64_t>(hits));
}

/// Returns the chance that a token has an expert on a given one of `nodes` nodes.
double reached(const Experts& experts, int nodes) {
  const auto count = static_cast<double>(experts.count);
  const int64_t on_node = std::max<int64_t>(1, experts.groups / nodes);
  const int64_t in_groups = experts.active_groups * (experts.count / experts.groups);
  const auto open = static_cast<double>(in_groups + experts.zero);
  double chance = 0;
  for (int64_t j = 1; j <= on_node; ++j) {
    const double offered = count / nodes * static_cast<double>(j) / static_cast<double>(on_node);
    chance += hits_exactly(experts.groups, on_node, experts.active_groups, j) *
              (1 - misses(open, std::min(open, offered), experts.active));
  }
  return chance;
}

}  // namespace

bool sends_once_a_node(const Experiment& experiment) {
  return experiment.dispatch.send == DispatchOptions::Send::once_a_node;
}

double once_a_node(const Experts& experts, int nodes) {
  if (nodes <= 1) return 1;
  return std::min(1.0, reached(experts, nodes) * nodes / experts.working());
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
