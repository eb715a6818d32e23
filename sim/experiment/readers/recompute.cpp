// recompute: a word, or one of the parts of a model.
#include "experiment/readers.hpp"

namespace pipewright {
namespace {

Recompute read_ops(const config::Value& ops) {
  if (!ops.is_list()) ops.fail("must be a list such as [attention, mlp, layernorm]");
  Recompute recompute;
  for (const config::Value& item : ops.items) {
    bool* const parts[] = {&recompute.attention, &recompute.mlp, &recompute.norm};
    *parts[config::as_choice(item, choices::recompute_ops)] = true;
  }
  return recompute;
}

}  // namespace

Recompute read_recompute(const config::Value& value) {
  if (!value.is_map()) {
    switch (config::as_choice(value, choices::recompute)) {
      case 0:
        return {};
      case 1:
        return {.attention = true};
      default:
        return {.block = true};
    }
  }
  const config::Fields fields(value, "recompute", keys::recompute);
  if (value.entries.size() != 1)
    value.fail("must be {layers: N}, {ops: [...]} or {products: N}, one of them");
  if (const config::Value* ops = fields.find("ops")) return read_ops(*ops);
  if (const config::Value* products = fields.find("products"))
    return {.products = config::as_int(*products, 1, 10'000)};
  const config::Value* layers = fields.find("layers");
  return {.block = true, .blocks = config::as_int(*layers, 0, 10'000)};
}

}  // namespace pipewright
