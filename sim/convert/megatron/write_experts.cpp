#include <algorithm>

#include "convert/megatron/writers.hpp"
#include "experiment/hardware.hpp"
#include "machine/exchange_kernels.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

/// Megatron-Core stops where the share of a token's only expert is brought to one
/// (transformer_config.py).
bool needs_shares(const Experiment& e, const Experts& experts) {
  const std::vector<ModelConstant> constants = job::model_constants(e);
  return experts.active == 1 && std::ranges::none_of(constants, [](const ModelConstant& constant) {
           return constant.what == Constant::router_score ||
                  constant.what == Constant::shares_as_are ||
                  constant.said.text.find("sinkhorn") != std::string::npos;
         });
}

void write_router(const Experts& experts, ArgumentLines& out) {
  out.add("moe-router-topk", experts.active);
  out.add("moe-ffn-hidden-size", experts.ffn);
  if (experts.shared > 0) {
    out.add("moe-shared-expert-intermediate-size", experts.shared_width());
    if (experts.shared_gate) out.add("moe-shared-expert-gate");
  }
  if (experts.latent > 0) out.add("moe-latent-size", experts.latent);
  if (experts.groups > 1) {
    out.add("moe-router-num-groups", experts.groups);
    out.add("moe-router-group-topk", experts.active_groups);
  }
  if (experts.capacity > 0) out.add("moe-expert-capacity-factor", experts.capacity);
}

/// Only padded rows of experts are in CUDA graphs.
bool pads(const Experiment& e, const Experts& experts) {
  const bool whole = e.launches.kind == Launches::graph || e.launches.kind == Launches::passes;
  return experts.capacity > 0 && (whole || e.launches.graphs.has(GraphedModule::moe));
}

/// Returns the layers that have experts as Python's lists: "[0]*3+[1]*58".
std::string pattern_of(const TransformerShape& shape) {
  std::string text;
  for (int64_t layer = 0; layer < shape.layers;) {
    const bool routes = shape.feed(layer) == Feed::experts;
    int64_t end = layer;
    while (end < shape.layers && (shape.feed(end) == Feed::experts) == routes) ++end;
    text += fmt::format("{}[{}]*{}", layer > 0 ? "+" : "", routes ? 1 : 0, end - layer);
    layer = end;
  }
  return text;
}

/// Megatron-Core ends where experts are trained so (megatron/core/transformer/moe/moe_layer.py);
/// Megatron-DeepSpeed has its own experts.
void check_sequence(const Experiment& e) {
  if (is_megatron(e.framework) && e.parallel.tensor > 1 && !e.parallel.sequence)
    e.misfit("parallel",
             "Megatron-Core does not train experts with tensor parallelism and without sequence "
             "parallelism: parallel.sequence must be true");
}

bool sends_by_hybridep(const Experiment& e) {
  const DispatchKernels said = e.dispatch.kernels;
  if (said != DispatchKernels::automatic) return said == DispatchKernels::hybridep;
  return automatic_kernels(cluster_of(e, config::Catalogue())) == DispatchKernels::hybridep;
}

/// Megatron-Core's flexible dispatcher has these two libraries, and its other dispatchers NCCL.
void check_kernels(const Experiment& e) {
  const bool once = e.dispatch.send == DispatchOptions::Send::once_a_node;
  const DispatchKernels kernels = e.dispatch.kernels;
  if (kernels == DispatchKernels::deepep_low_latency || (once && kernels == DispatchKernels::nccl))
    e.misfit("dispatch",
             "Megatron-LM sends tokens once a node by deepep or hybridep and every copy by nccl");
}

}  // namespace

void write_experts(const Experiment& e, ArgumentLines& out) {
  const TransformerShape& shape = e.model_or_fail().transformer;
  if (!shape.experts) return;
  check_sequence(e);
  const Experts& experts = *shape.experts;
  out.add("num-experts", experts.count);
  out.add("moe-grouped-gemm");  // experts are simulated so; by default one follows the other
  write_router(experts, out);
  if (pads(e, experts)) out.add("moe-pad-expert-input-to-capacity");
  if (needs_shares(e, experts)) out.add("moe-router-pre-softmax");
  const std::string pattern = pattern_of(shape);
  if (pattern != fmt::format("[1]*{}", shape.layers))
    out.add("moe-layer-freq", fmt::format("'({})'", pattern));
  if (e.parallel.expert == 1) return;
  check_kernels(e);
  out.add("expert-model-parallel-size", e.parallel.expert);
  out.add("expert-tensor-parallel-size", e.parallel.expert_tensor);
  static constexpr const char* dispatchers[] = {"flex", "alltoall", "allgather"};
  out.add("moe-token-dispatcher-type", dispatchers[static_cast<size_t>(e.dispatch.send)]);
  if (e.dispatch.send == DispatchOptions::Send::once_a_node)
    out.add("moe-flex-dispatcher-backend", sends_by_hybridep(e) ? "hybridep" : "deepep");
}

}  // namespace pipewright::megatron
