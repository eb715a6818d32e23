// A token is sent once to every node that has experts of it, and spread there over the node's own
// links while others cross the network (DeepEP, github.com/deepseek-ai/DeepEP; HybridEP; arXiv
// 2412.19437, 3.2.2); its results are summed in the node before they go back. Within one node it is
// sent once to every device. workload/transformer/expert_spread.cpp counts both.
//
// What moves inside of several nodes is not counted here: network/nccl/exchange.cpp tells whether
// it is hidden behind what crosses.
#include "plan/dispatch.hpp"

#include "experiment/token_kernels.hpp"
#include "network/collectives/collective.hpp"
#include "workload/model/model.hpp"
#include "workload/transformer/expert_spread.hpp"

namespace pipewright {

void settle_kernels(Experiment& experiment, const Machine& machine) {
  DispatchKernels& kernels = experiment.dispatch.kernels;
  if (kernels == DispatchKernels::automatic && sends_by_library(experiment))
    kernels = machine.dispatch_kernels();
}

std::string extrapolated_kernels(const Experiment& experiment, const Machine& machine) {
  const DispatchKernels kernels = experiment.dispatch.kernels;
  const bool deepep =
      kernels == DispatchKernels::deepep || kernels == DispatchKernels::deepep_low_latency;
  if (!deepep || !sends_by_library(experiment)) return {};
  if (machine.dispatch_kernels() == DispatchKernels::deepep) return {};
  return "dispatch.kernels: DeepEP was measured within servers of eight devices alone, and what it "
         "reaches in a rack that NVLink joins is extrapolated; Megatron Bridge takes NCCL's "
         "kernels "
         "there for it";
}

double dispatch_share(const Experiment& experiment, const Topology& topology, const Mesh& mesh) {
  const std::optional<Experts>& experts = experiment.model_or_fail().transformer.experts;
  const DispatchOptions& dispatch = experiment.dispatch;
  if (!experts || mesh.expert <= 1 || dispatch.send != DispatchOptions::Send::once_a_node) return 1;
  const std::span<const int> group(mesh.devices.data(), static_cast<size_t>(mesh.expert));
  const int nodes = collective::members_on(topology, group).node_count();
  if (nodes > 1) return sent_once(*experts, nodes);
  return sends_by_library(experiment) ? sent_once(*experts, mesh.expert) : 1;
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
