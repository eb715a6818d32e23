// What configurations of Laguna say beyond the common names (transformers,
// laguna/configuration_laguna.py): heads of every layer, and gates of heads.
#include <fmt/format.h>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

bool sees_all(const Value& config, size_t layer) {
  const Value* types = find_given(config, "layer_types");
  return !types || layer >= types->items.size() || types->items[layer].text == "full_attention";
}

/// The heads of layers that see all tokens, or of the others. All of a kind must have as many.
void set_layer_heads(const Value& config, bool of_all, Value& into) {
  const Value* list = find_given(config, "num_attention_heads_per_layer");
  if (!list || !list->is_list()) return;
  const Value* first = nullptr;
  for (size_t layer = 0; layer < list->items.size(); ++layer) {
    const Value& heads = list->items[layer];
    if (sees_all(config, layer) != of_all) continue;
    if (first && heads.text != first->text)
      heads.fail(fmt::format("layers of one type must have as many heads: {} here and {} before",
                             heads.text, first->text));
    if (!first) first = &heads;
  }
  if (first) into.set("heads", *first);
}

void set_gates(const Value& config, Value& attention) {
  const Value* gating = find_given(config, "gating");
  if (gating && gating->text == "false") return;
  set(attention, gating && gating->text == "per-element" ? "gate" : "head_gate", "true");
}

}  // namespace

/// The shared expert has no gate. The first block alone has an MLP where nothing else is said.
void extend_laguna(const Value& config, Value& transformer) {
  Value& attention = map_of(transformer, "attention");
  set_gates(config, attention);
  set_layer_heads(config, false, transformer);
  if (find_given(config, "num_attention_heads_per_layer"))
    set_layer_heads(config, true, map_of(attention, "full"));
  Value& experts = map_of(transformer, "experts");
  erase(experts, "shared_gate");
  if (!find_given(config, "mlp_layer_types")) set(experts, "dense", "1");
  if (!find_given(config, "layer_types")) set(transformer, "mixers", "full");
}

}  // namespace pipewright::hugging_face
