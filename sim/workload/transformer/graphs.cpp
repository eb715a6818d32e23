// CUDA graphs of modules, as Megatron-Core captures them (launches: {graphs: [...]}).
//
//   attn            a mixer that is no state-space layer, from its norm to the sum of the residual
//   mamba           a state-space layer, likewise
//   mlp             a dense MLP, likewise
//   moe             experts, likewise, their exchanges included: rows are padded to the capacity
//   moe_router      the norm before experts, the router, and shared experts
//   moe_preprocess  the product to the experts' width, the counts and what puts rows in order,
//   where
//                   NCCL sends them. Kernels of DeepEP and HybridEP do that themselves, outside
// A graph has the kernels that follow one another in a layer and a pass; a layer's modules side by
// side are one graph. Backward passes are captured as forward passes are, with what is run again
// and gradients of weights. Which rows come from whom the host has to know after moe_preprocess,
// too: it waits for the counts outside of the graph. Source: NVIDIA/Megatron-LM, September 2026,
// megatron/core/transformer/cuda_graphs.py, transformer_layer.py (_te_cuda_graph_capture,
// _te_cuda_graph_replay, MoETransformerLayer), moe/moe_layer.py and moe/token_dispatcher.py
// (dispatch_preprocess, cuda_dtoh_point).
#include "workload/transformer/graphs.hpp"

namespace pipewright::transformer {
namespace {

void capture(std::vector<Work>& kernels) {
  for (Work& work : kernels) work.captured = Captured::inside;
}

void capture(Segments& segments) {
  for (Segment& segment : segments) {
    capture(segment.kernels);
    segment.captured = true;
  }
}

void capture(Operation& operation) {
  operation.captured = true;
  capture(operation.forward);
  capture(operation.input_gradient);
  capture(operation.weight_gradient);
  capture(operation.adapter_gradients);
  capture(operation.forward_steps);
  capture(operation.input_gradient_steps);
  capture(operation.weight_gradient_steps);
}

}  // namespace

bool captures(const Share& share, GraphedModule module) { return share.options.graphs.has(module); }

Operations captured(Operations operations) {
  for (Operation& operation : operations) capture(operation);
  return operations;
}

Operations captured(const Share& share, GraphedModule module, Operations operations) {
  return captures(share, module) ? captured(std::move(operations)) : operations;
}

Operations captured_mixer(const Share& share, int64_t block, Operations branch) {
  const bool scans = share.shape.mixer(block) == Mixer::state_space;
  return captured(share, scans ? GraphedModule::mamba : GraphedModule::attn, std::move(branch));
}

Operations captured_feed(const Share& share, int64_t block, Operations branch, size_t before,
                         size_t behind) {
  if (share.shape.feed(block) != Feed::experts)
    return captured(share, GraphedModule::mlp, std::move(branch));
  if (captures(share, GraphedModule::moe)) return captured(std::move(branch));
  if (!captures(share, GraphedModule::moe_router)) return branch;
  for (size_t k = 0; k < before; ++k) capture(branch[k]);
  if (!share.options.graphs.behind_experts) return branch;
  for (size_t k = branch.size() - behind; k < branch.size(); ++k) capture(branch[k]);
  return branch;
}

}  // namespace pipewright::transformer
