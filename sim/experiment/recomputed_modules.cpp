#include "experiment/recomputed_modules.hpp"

#include <fmt/format.h>

#include "workload/model/model.hpp"

namespace pipewright {
namespace {

bool has(const TransformerShape& shape, std::string_view module) {
  if (module == "mla_up_proj") return shape.attention.latent.has_value();
  if (module == "mlp") return shape.has_mlp();
  if (module == "shared_experts") return shape.experts && shape.experts->shared > 0;
  if (module == "moe" || module == "moe_act") return shape.experts.has_value();
  return true;
}

}  // namespace

void require_recomputed_modules(const Experiment& experiment) {
  const config::Value* recompute = experiment.document.find("recompute");
  const config::Value* modules = recompute ? recompute->find("modules") : nullptr;
  if (!modules) return;
  const TransformerShape& shape = experiment.model_or_fail().transformer;
  for (const config::Value& module : modules->items) {
    if (shape.layers > 0 && has(shape, module.text)) continue;
    module.misfit(fmt::format("the model has no {} to run again", module.text));
  }
}

}  // namespace pipewright
