#include "convert/megatron/demands.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/several_errors.hpp"
#include "convert/job/transformer_map.hpp"
#include "experiment/hardware.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

/// An assertion: what stops at it, the key that would have to change, and why.
struct Demand {
  bool (*stops)(const Experiment& e);
  const char *key, *why;
};

const TransformerShape& shape_of(const Experiment& e) { return e.model_or_fail().transformer; }

bool is_adam(const Experiment& e) {
  return e.optimizer == Optimizer::adam || e.optimizer == Optimizer::adamw;
}

bool is_sgd(const Experiment& e) {
  return e.optimizer == Optimizer::sgd || e.optimizer == Optimizer::momentum;
}

bool is_delayed(const Experiment& e) {
  return e.precision == DType::fp8 && e.scaling == Scaling::delayed;
}

bool has_item(const config::Value* list, std::string_view text) {
  return list && std::ranges::find(list->items, text, &config::Value::text) != list->items.end();
}

/// Tells whether the recomputed modules have `module`; the part `mlp` of experts is theirs.
bool runs_again(const Experiment& e, std::string_view module) {
  const config::Value* recompute = e.document.find("recompute");
  if (!recompute || !recompute->is_map()) return false;
  const config::Value *modules = recompute->find("modules"), *parts = recompute->find("ops");
  const bool is_of_experts = module == "moe" && shape_of(e).experts && has_item(parts, "mlp");
  return is_of_experts || has_item(modules, module) || has_item(parts, module);
}

bool runs_layers_again(const Experiment& e) {
  const config::Value* recompute = e.document.find("recompute");
  return recompute && (recompute->text == "full" || recompute->find("layers"));
}

bool offloads(const Experiment& e, std::string_view module) {
  for (size_t k = 0; k < std::size(choices::offload_modules); ++k)
    if (choices::offload_modules[k] == module) return e.offload.inputs.test(k);
  return false;
}

bool gathers_beside(const Experiment& e) { return e.overlap.weights && e.parallel.zero > 0; }

bool splits_products(const Experiment& e) {
  return e.overlap.tensor.kind == TensorOverlap::chunked && e.parallel.tensor > 1;
}

bool pairs_experts(const Experiment& e) {
  return e.overlap.expert == ExpertOverlap::pairs && e.parallel.expert > 1;
}

bool is_every_device(const Experiment& e, bool (*is_one)(const Device& device)) {
  const Cluster cluster = cluster_of(e, config::Catalogue());
  return !cluster.device_types.empty() && std::ranges::all_of(cluster.device_types, is_one);
}

/// Those of validate_args.
constexpr Demand of_arguments[] = {
    {[](const Experiment& e) { return gathers_beside(e) && !e.overlap.data; }, "overlap",
     "Megatron-LM gathers weights beside the forward pass only where gradients go beside the "
     "backward pass: overlap.data must be true"},
    {[](const Experiment& e) { return splits_products(e) && !e.parallel.sequence; }, "overlap",
     "Megatron-LM splits products only with sequence parallelism: parallel.sequence must be true"},
    {[](const Experiment& e) {
       return e.parallel.virtual_stages > 1 && e.parallel.pipeline < 3 &&
              e.overlap.p2p.mode == SendMode::rendezvous;
     },
     "overlap",
     "Megatron-LM interleaves stages of two ranks only where messages go beside the computation: "
     "overlap.p2p must be async"},
    {[](const Experiment& e) { return e.parallel.zero > 1 && !is_adam(e) && !is_sgd(e); },
     "optimizer", "Megatron-FSDP has Adam and SGD only"},
    {[](const Experiment& e) { return e.weights == StoredWeights::fp8 && e.parallel.zero == 0; },
     "weights",
     "Megatron-LM keeps weights in fp8 only where the optimizer's state is cut: "
     "parallel.zero must be 1 or more"},
    {[](const Experiment& e) {
       return e.weights == StoredWeights::fp8 && !is_adam(e) && !is_sgd(e);
     },
     "weights", "Megatron-LM keeps weights in fp8 beside Adam and SGD only"},
    {[](const Experiment& e) {
       return e.offload.optimizer && e.weights == StoredWeights::fp8 && !is_delayed(e);
     },
     "offload",
     "Megatron-LM offloads the optimizer beside weights in fp8 only where they are "
     "scaled by the delayed recipe"},
    {[](const Experiment& e) { return e.offload.optimizer && !is_adam(e); }, "offload",
     "Megatron-LM offloads Adam only"},
    {[](const Experiment& e) {
       const Positions positions = shape_of(e).positions;
       return shape_of(e).ends.predicted > 0 && positions != Positions::rope &&
              positions != Positions::none;
     },
     "model", "Megatron-LM predicts several tokens only with rotated positions or none"}};

/// Those of the configurations, and of Transformer Engine.
constexpr Demand of_core[] = {
    {[](const Experiment& e) {
       const TransformerShape& shape = shape_of(e);
       return shape.experts && job::all_products_have_biases(shape) && expert_tensor_of(e) > 1;
     },
     "parallel",
     "Megatron-LM has biases of experts only where tensor ranks do not cut them: "
     "parallel.expert_tensor must be 1"},
    {[](const Experiment& e) {
       return e.parallel.context > 1 && shape_of(e).attention.indexer &&
              e.parallel.context_options.exchange != ContextExchange::all_gather;
     },
     "parallel",
     "Megatron-LM shares sequences of attention with an indexer by all-gathers only: "
     "parallel.context.exchange must be all-gather"},
    {[](const Experiment& e) {
       return pairs_experts(e) && e.parallel.pipeline > 1 && e.parallel.virtual_stages == 1;
     },
     "overlap",
     "Megatron-LM overlaps experts of a pipeline only where stages are interleaved: "
     "parallel.virtual must be 2 or more"},
    {[](const Experiment& e) {
       return pairs_experts(e) && e.dispatch.send == DispatchOptions::Send::all_gather;
     },
     "overlap",
     "Megatron-LM overlaps experts only where tokens are sent to them: dispatch must not "
     "be all-gather"},
    {[](const Experiment& e) {
       return pairs_experts(e) && (runs_layers_again(e) || runs_again(e, "moe"));
     },
     "overlap", "Megatron-LM overlaps experts only where they are not recomputed"},
    {[](const Experiment& e) {
       return pairs_experts(e) && (e.precision == DType::fp32 || e.precision == DType::tf32);
     },
     "overlap", "Megatron-LM overlaps experts only under bf16 or fp16"},
    {[](const Experiment& e) { return pairs_experts(e) && shape_of(e).ends.predicted > 1; },
     "overlap", "Megatron-LM overlaps experts only beside one predicted token"},
    {[](const Experiment& e) {
       return is_delayed(e) && (runs_again(e, "layernorm") || runs_again(e, "moe_act"));
     },
     "recompute",
     "Megatron-LM recomputes norms and activations of experts under fp8 only without "
     "the delayed recipe"},
    {[](const Experiment& e) {
       const bool whole = e.launches.kind == Launches::graph || e.launches.kind == Launches::passes;
       return whole && e.parallel.expert > 1 && shape_of(e).experts->capacity == 0;
     },
     "launches",
     "Megatron-LM makes one graph of an iteration with experts on several devices only where their "
     "rows are padded to a capacity ('experts: {capacity: ...}')"},
    {[](const Experiment& e) {
       const auto& delta = shape_of(e).kinds.gated_delta;
       const int ranks = e.parallel.tensor * e.parallel.context;
       return delta && (delta->key_heads % ranks != 0 || delta->value_heads % ranks != 0);
     },
     "parallel",
     "Megatron-LM cuts whole heads of the gated delta rule: parallel.tensor times "
     "parallel.context must divide them"},
    {[](const Experiment& e) { return offloads(e, "attn_proj") && !offloads(e, "core_attn"); },
     "offload", "Megatron-LM offloads attn_proj only beside core_attn"},
    {[](const Experiment& e) {
       return runs_again(e, "moe") && (offloads(e, "moe_act") || offloads(e, "expert_fc1"));
     },
     "offload", "Megatron-LM offloads nothing of experts that are recomputed"},
    {[](const Experiment& e) {
       const bool is_scaled = e.precision == DType::fp8 && e.scaling == Scaling::mxfp8;
       return is_scaled && !is_every_device(e, has_mxfp8);
     },
     "precision", "Transformer Engine has MXFP8 only on devices since Blackwell and on MI350"},
    {[](const Experiment& e) { return e.precision == DType::nvfp4 && !is_since_blackwell(e); },
     "precision", "Transformer Engine has NVFP4 only on devices since Blackwell"},
    {[](const Experiment& e) {
       const int64_t heads = shape_of(e).attention.heads;
       return shape_of(e).has_attention() && heads % e.parallel.tensor != 0;
     },
     "parallel", "Megatron-LM cuts whole heads: parallel.tensor must divide them"},
    {[](const Experiment& e) {
       const AttentionDimensions& a = shape_of(e).attention;
       return shape_of(e).has_attention() && !a.latent && a.kv_heads % e.parallel.tensor != 0 &&
              e.parallel.tensor % a.kv_heads != 0;
     },
     "parallel",
     "Megatron-LM shares heads of keys and values evenly: parallel.tensor must divide "
     "them or be a multiple of them"}};

}  // namespace

bool is_since_blackwell(const Experiment& e) {
  return is_every_device(
      e, [](const Device& device) { return device.peak_at(DType::nvfp4).has_value(); });
}

int expert_tensor_of(const Experiment& e) {
  return e.parallel.expert > 1 ? e.parallel.expert_tensor : e.parallel.tensor;
}

void check_demands(const Experiment& e, bool by_arguments) {
  std::vector<Misfit> stopping;
  const auto check = [&](std::span<const Demand> demands) {
    for (const Demand& demand : demands)
      if (demand.stops(e)) stopping.emplace_back(e.where(demand.key), demand.why);
  };
  if (by_arguments) check(of_arguments);
  check(of_core);
  throw_together(stopping);
}

}  // namespace pipewright::megatron
