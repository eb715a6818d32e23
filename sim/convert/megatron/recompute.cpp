// Sources: megatron/training/arguments.py and transformer_config.py; before 2022 arguments.py said
// --checkpoint-activations with --checkpoint-num-layers, then --activations-checkpoint-method.
#include "convert/megatron/recompute.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright::megatron {
namespace {

using config::number;
using config::scalar;
using config::Value;

/// Layers of which only the first's input is kept.
void note_groups(Flags& flags, const std::string& name, int64_t layers) {
  if (layers > 1)
    flags.import().slight.push_back(fmt::format(
        "{} {}: the input of every layer is taken to be kept", flags.named(name), layers));
}

Value some_layers(int64_t layers) {
  Value value;
  value.set("layers", number(layers));
  return value;
}

/// The method and the number under the names of a release.
Value full(Flags& flags, const std::string& method_name, const std::string& number_name) {
  const std::string method = flags.text(method_name).value_or("uniform");
  const int64_t layers = flags.number(number_name, 1, 0);
  if (method == "block") return some_layers(layers);
  if (method != "uniform")
    flags.fail(method_name, fmt::format("is uniform or block, not '{}'", method));
  note_groups(flags, number_name, layers);
  return scalar("full");
}

/// Returns the part of a block that a module is here, or nothing.
std::string part_of(Flags& flags, const std::string& module) {
  const bool has_experts = flags.has("num-experts") || flags.has("num-moe-experts");
  if (module == "core_attn") return "attention";
  if (module == "layernorm") return "layernorm";
  if (module == "mlp" && !has_experts) return "mlp";
  if (module == "moe" && has_experts) return "mlp";
  return {};
}

/// --recompute-modules; the core of attention by default.
Value selective(Flags& flags) {
  std::vector<std::string> modules = flags.texts("recompute-modules");
  if (modules.empty() || (modules.size() == 1 && modules[0] == "core_attn"))
    return scalar("selective");
  Value value;
  Value& parts = value.set("ops", {});
  parts.kind = Value::Kind::list;
  for (const std::string& module : modules) {
    const std::string part = part_of(flags, module);
    const bool is_there = std::any_of(parts.items.begin(), parts.items.end(),
                                      [&](const Value& item) { return item.text == part; });
    if (part.empty())
      flags.refuse("recompute-modules",
                   fmt::format("{} cannot be said: parts here are core_attn, "
                               "layernorm, mlp, or moe where there are experts",
                               module));
    else if (!is_there)
      parts.items.push_back(scalar(part));
  }
  return parts.items.empty() ? Value{} : value;
}

}  // namespace

Value read_recompute(Flags& flags) {
  if (flags.has("moe-layer-recompute") && !flags.has("recompute-granularity"))
    flags.refuse("moe-layer-recompute", "cannot be said: only experts are run again");
  if (flags.has("activations-checkpoint-method"))
    return full(flags, "activations-checkpoint-method", "activations-checkpoint-num-layers");
  if (flags.has("checkpoint-activations")) {
    note_groups(flags, "checkpoint-num-layers", flags.number("checkpoint-num-layers", 1));
    return scalar("full");
  }
  const std::string granularity = flags.text("recompute-granularity").value_or("");
  if (flags.has("recompute-activations") || granularity == "selective") return selective(flags);
  if (granularity == "full") return full(flags, "recompute-method", "recompute-num-layers");
  if (!granularity.empty())
    flags.fail("recompute-granularity", fmt::format("is full or selective, not '{}'", granularity));
  return {};
}

}  // namespace pipewright::megatron
