// recompute: a word, or one of the parts of a model.
#include <fmt/format.h>

#include <span>

#include "experiment/readers.hpp"

namespace pipewright {
namespace {

const Parts parts_of_ops[] = {
    parts_of({Part::attention}),
    parts_of({Part::mlp, Part::experts, Part::expert_activation, Part::shared_experts}),
    parts_of({Part::norm, Part::inner_norm})};

/// What Megatron-Core's --recompute-modules names (transformer_config.py).
const Parts parts_of_modules[] = {
    parts_of({Part::attention}),
    parts_of({Part::norm}),
    parts_of({Part::mlp}),
    parts_of({Part::experts, Part::expert_activation, Part::shared_experts}),
    parts_of({Part::expert_activation}),
    parts_of({Part::shared_experts}),
    parts_of({Part::latent})};

/// Reads a list of `names`, which stand for `parts` in the same order.
Recompute read_parts(const config::Value& list, std::span<const std::string_view> names,
                     std::span<const Parts> parts, const char* example) {
  if (!list.is_list()) list.fail(fmt::format("must be a list such as {}", example));
  Recompute recompute;
  for (const config::Value& item : list.items)
    recompute.parts |= parts[config::as_choice(item, names)];
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
  if (const config::Value* ops = fields.find("ops"))
    return read_parts(*ops, choices::recompute_ops, parts_of_ops, "[attention, mlp, layernorm]");
  if (const config::Value* modules = fields.find("modules"))
    return read_parts(*modules, choices::recompute_modules, parts_of_modules,
                      "[core_attn, moe_act]");
  if (const config::Value* products = fields.find("products"))
    return {.products = config::as_int(*products, 1, 10'000)};
  const config::Value* layers = fields.find("layers");
  return {.block = true, .blocks = config::as_int(*layers, 0, 10'000)};
}

}  // namespace pipewright
