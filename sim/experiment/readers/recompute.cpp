// recompute: a word, or one of the parts of a model.
#include "experiment/readers.hpp"

namespace pipewright {
namespace {

Recompute read_ops(const config::Value& ops) {
  if (!ops.is_list()) ops.fail("must be a list such as [attention, mlp, layernorm]");
  static const Parts parts[] = {
      parts_of({Part::attention}),
      parts_of({Part::mlp, Part::experts, Part::expert_activation, Part::shared_experts}),
      parts_of({Part::norm, Part::inner_norm})};
  Recompute recompute;
  for (const config::Value& item : ops.items)
    recompute.parts |= parts[config::as_choice(item, choices::recompute_ops)];
  return recompute;
}

/// The parts that Megatron-Core's --recompute-modules names (transformer_config.py).
Recompute read_modules(const config::Value& modules) {
  if (!modules.is_list()) modules.fail("must be a list such as [core_attn, moe_act]");
  static const Parts parts[] = {
      parts_of({Part::attention}),
      parts_of({Part::norm}),
      parts_of({Part::mlp}),
      parts_of({Part::experts, Part::expert_activation, Part::shared_experts}),
      parts_of({Part::expert_activation}),
      parts_of({Part::shared_experts}),
      parts_of({Part::latent})};
  Recompute recompute;
  for (const config::Value& item : modules.items)
    recompute.parts |= parts[config::as_choice(item, choices::recompute_modules)];
  return recompute;
}

}  // namespace

Recompute read_recompute(const config::Value& value) {
  if (!value.is_map()) {
    switch (config::as_choice(value, choices::recompute)) {
      case 0:
        return {};
      case 1:
        return {.parts = parts_of({Part::attention})};
      default:
        return {.block = true};
    }
  }
  const config::Fields fields(value, "recompute", keys::recompute);
  if (value.entries.size() != 1)
    value.fail("must be {layers: N}, {ops: [...]}, {modules: [...]} or {products: N}, one of them");
  if (const config::Value* ops = fields.find("ops")) return read_ops(*ops);
  if (const config::Value* modules = fields.find("modules")) return read_modules(*modules);
  if (const config::Value* products = fields.find("products"))
    return {.products = config::as_int(*products, 1, 10'000)};
  const config::Value* layers = fields.find("layers");
  return {.block = true, .blocks = config::as_int(*layers, 0, 10'000)};
}

}  // namespace pipewright
