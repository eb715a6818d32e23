// adapters, frozen, offload: what of a model is trained, and what its devices keep.
#include "experiment/readers.hpp"

namespace pipewright {

using config::Fields;
using config::Value;

Adapters read_adapters(const Value& value) {
  if (!value.is_map()) return {.rank = config::as_int(value, 0, 65536)};
  const Fields fields(value, "adapters", keys::adapters);
  Adapters adapters{.rank = config::as_int(fields.at("rank"), 1, 65536)};
  if (const Value* experts = fields.find("experts"))
    adapters.experts =
        static_cast<ExpertAdapters>(config::as_choice(*experts, choices::adapters_experts));
  if (const Value* format = fields.find("format"))
    adapters.wide = config::as_choice(*format, choices::adapters_format) == 1;
  return adapters;
}

namespace {

void add_frozen(const Value& value, FrozenParts& frozen) {
  const auto choice = config::as_choice(value, choices::frozen);
  frozen.vision = frozen.vision || choice == 1;
  frozen.text = frozen.text || choice == 2;
}

void add_offload(const Value& value, Offload& offload) {
  switch (config::as_choice(value, choices::offload)) {
    case 1:
      offload.optimizer = true;
      break;
    case 2:
      offload.activations = true;
      break;
    case 3:
      offload.weights = offload.optimizer = true;
      break;
    default:
      break;
  }
}

/// What leaves the core is what the product behind it reads: the core's backward pass needs it too.
void check_offloaded_inputs(const Value& modules, const OffloadedInputs& inputs) {
  const auto has = [&](OffloadedInput input) { return inputs.test(static_cast<size_t>(input)); };
  if (has(OffloadedInput::output_projection) && !has(OffloadedInput::attention))
    modules.fail("attn_proj needs core_attn beside it: both keep what leaves the attention core");
}

Offload read_offloaded_inputs(const Value& value) {
  const Fields fields(value, "offload", keys::offload);
  if (!fields.find("modules"))
    value.fail("offload is a word such as 'optimizer', a list of words, or a map with 'modules'");
  const Value& modules = fields.at("modules");
  if (!modules.is_list() || modules.items.empty())
    modules.fail("must be a list such as [core_attn, attn_proj]");
  Offload offload{.optimizer = fields.boolean("optimizer", false)};
  for (const Value& item : modules.items)
    offload.inputs.set(static_cast<size_t>(config::as_choice(item, choices::offload_modules)));
  check_offloaded_inputs(modules, offload.inputs);
  return offload;
}

}  // namespace

FrozenParts read_frozen(const Value& value) {
  FrozenParts frozen;
  if (!value.is_list()) add_frozen(value, frozen);
  for (const Value& item : value.items) add_frozen(item, frozen);
  return frozen;
}

Offload read_offload(const Value& value) {
  if (value.is_map()) return read_offloaded_inputs(value);
  Offload offload;
  if (!value.is_list()) add_offload(value, offload);
  for (const Value& item : value.items) add_offload(item, offload);
  return offload;
}

}  // namespace pipewright
