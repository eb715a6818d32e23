#include "experiment/named_modules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workload/model/model.hpp"

namespace pipewright {

/// Tells whether some block mixes tokens otherwise than as Mamba 2 alone.
static bool has_graphed_mixer(const TransformerShape& shape) {
  const auto& mixers = shape.kinds.mixers;
  return mixers.empty() || std::ranges::any_of(mixers, [](Mixer mixer) {
           return mixer != Mixer::none && mixer != Mixer::state_space;
         });
}

bool has_module(const TransformerShape& shape, std::string_view module) {
  if (module == "expert_fc1") return shape.experts.has_value();
  if (module == "core_attn" || module == "attn_proj") return shape.has_attention();
  if (module == "attn") return has_graphed_mixer(shape);
  if (module == "mamba") return shape.kinds.has(Mixer::state_space);
  if (module == "moe_router" || module == "moe_preprocess") return shape.experts.has_value();
  if (module == "mla_up_proj") return shape.attention.latent.has_value();
  if (module == "mlp") return shape.has_mlp();
  if (module == "shared_experts") return shape.experts && shape.experts->shared > 0;
  if (module == "moe" || module == "moe_act") return shape.experts.has_value();
  return true;
}

namespace {

/// Throws Misfit at the first of the modules that `list` of `key` names and no block of the model
/// has.
void require_modules(const Experiment& experiment, const char* key, const char* list,
                     const char* done) {
  const config::Value* value = experiment.document.find(key);
  const config::Value* modules = value && value->is_map() ? value->find(list) : nullptr;
  if (!modules) return;
  const TransformerShape& shape = experiment.model_or_fail().transformer;
  for (const config::Value& module : modules->items) {
    if (shape.layers > 0 && has_module(shape, module.text)) continue;
    module.misfit(fmt::format("the model has no {} to {}", module.text, done));
  }
}

}  // namespace

void require_named_modules(const Experiment& experiment) {
  require_modules(experiment, "recompute", "modules", "run again");
  require_modules(experiment, "offload", "modules", "keep on the host");
  require_modules(experiment, "launches", "graphs", "make a CUDA graph of");
}

}  // namespace pipewright
