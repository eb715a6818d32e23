#include "plan/block_graphs.hpp"

#include <fmt/format.h>

#include "workload/model/model.hpp"

namespace pipewright {
namespace {

[[noreturn]] void misfit(const Experiment& e, const std::string& reason) {
  e.misfit("launches", "launches: " + reason);
}

void check_recomputed(const Experiment& e, const BlockGraphs& graphs) {
  if (e.recompute.block)
    misfit(e,
           "blocks that are run again in full are in no graphs of modules: run modules again "
           "(recompute: {modules: [...]}), or say 'graphs: [iteration]'");
  const bool router = graphs.has(GraphedModule::moe_router) && !graphs.behind_experts;
  if (router && e.recompute.runs(Part::experts))
    misfit(e,
           "experts that are run again have their router in no graph of Transformer Engine's: "
           "leave out moe_router, or say 'capture: local'");
}

void check_experts(const Experiment& e, const BlockGraphs& graphs) {
  const std::optional<Experts>& experts = e.model_or_fail().transformer.experts;
  if (!experts || !graphs.has(GraphedModule::moe)) return;
  if (experts->capacity == 0)
    misfit(e,
           "a graph of experts has a number of rows that does not change: it needs "
           "'experts: {capacity: ...}' in the model, or moe_router in place of moe");
}

void check_pairs(const Experiment& e, const BlockGraphs& graphs) {
  if (e.overlap.expert != ExpertOverlap::pairs) return;
  if (graphs.has(GraphedModule::moe) || graphs.has(GraphedModule::mlp))
    misfit(e,
           "under 'overlap: {expert: pairs}' graphs are attn, moe_router, moe_preprocess and "
           "mamba, as passes take turns in MLPs and experts");
}

void check_one_shape(const Experiment& e) {
  if (e.batch.lengths)
    misfit(e, "a CUDA graph has kernels of one shape, and documents of batch.lengths have many");
}

/// Tells whether experts have a capacity, to which Megatron-Core pads their rows in a graph.
bool has_capacity(const Experiment& e) {
  const bool is_megatron = e.framework == Framework::megatron && e.model;
  const std::optional<Experts> none;
  const std::optional<Experts>& experts = is_megatron ? e.model->transformer.experts : none;
  return experts && experts->capacity > 0;
}

BlockGraphs graphs_of_iteration(const Experiment& e) {
  if (e.launches.kind == Launches::passes) check_one_shape(e);
  const bool whole = e.launches.kind == Launches::passes || e.launches.kind == Launches::graph;
  return {.pads = whole && has_capacity(e)};
}

}  // namespace

BlockGraphs block_graphs(const Experiment& e) {
  if (e.launches.kind != Launches::modules) return graphs_of_iteration(e);
  BlockGraphs graphs = e.launches.graphs;
  if (e.framework != Framework::megatron)
    misfit(e, "graphs of modules are Megatron-Core's: framework must be megatron");
  if (e.model_or_fail().transformer.decoder.layers > 0)
    misfit(e, "graphs of modules are not modelled for an encoder with a decoder");
  check_one_shape(e);
  check_recomputed(e, graphs);
  check_experts(e, graphs);
  check_pairs(e, graphs);
  if (e.offload.activations || e.offload.weights)
    misfit(e,
           "graphs of modules hold what they keep: neither activations nor weights are offloaded "
           "but by 'offload: {modules: [...]}'");
  graphs.pads = graphs.has(GraphedModule::moe) && has_capacity(e);
  return graphs;
}

}  // namespace pipewright
