// Sources: megatron/training/arguments.py and transformer_config.py; before 2022 arguments.py said
// --checkpoint-activations with --checkpoint-num-layers, then --activations-checkpoint-method.
#include "convert/megatron/recompute.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/megatron/layer_pattern.hpp"
#include "experiment/options.hpp"
#include "interop/words.hpp"

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

/// Tells whether some layer of a model with experts has an MLP in place of them.
bool has_dense_layers(Flags& flags) {
  const std::string pattern = flags.text("moe-layer-freq").value_or("1");
  if (const auto every = interop::number_of<int64_t>(pattern)) return *every > 1;
  const auto layers = read_layer_pattern(pattern);
  return layers && std::ranges::find(*layers, 0) != layers->end();
}

/// Tells whether a map has the key with another value than `usual`.
bool says(const Value* map, std::string_view key, std::string_view usual) {
  const Value* value = map ? map->find(key) : nullptr;
  return value && value->text != usual;
}

/// Tells whether some layer of a transformer with experts has an MLP in place of them.
bool has_dense_layers(const Value& transformer) {
  const Value* experts = transformer.find("experts");
  const Value* feeds = transformer.find("feeds");
  const bool lists_one =
      feeds && std::ranges::find(feeds->items, "dense", &Value::text) != feeds->items.end();
  return lists_one || says(experts, "dense", "0") || says(experts, "every", "1");
}

/// What selective recomputation is without a list.
constexpr const char* usual_module = "core_attn";

/// --recompute-modules.
Value some_modules(Flags& flags, const Value& given, const std::vector<std::string>& modules) {
  Value value;
  Value& named = value.set("modules", {});
  named.kind = Value::Kind::list;
  for (const std::string& module : modules) {
    if (std::ranges::find(choices::recompute_modules, module) ==
        std::end(choices::recompute_modules))
      flags.refuse("recompute-modules",
                   fmt::format("{} cannot be said: modules here are {}", module,
                               fmt::join(choices::recompute_modules, ", ")));
    else if (!has_part(flags, given, module))
      flags.import().slight.push_back(
          fmt::format("{}: the model has no {}", flags.named("recompute-modules"), module));
    else
      named.items.push_back(scalar(module));
  }
  const bool is_usual = named.items.size() == 1 && named.items.front().text == usual_module;
  if (is_usual) return scalar("selective");
  return named.items.empty() ? Value{} : value;
}

/// The core of attention by default. A release that knows no modules runs experts again by a flag
/// of their own.
Value selective(Flags& flags, const Value& given) {
  std::vector<std::string> modules = flags.texts("recompute-modules");
  if (modules.empty()) modules = {usual_module};
  if (flags.has("moe-layer-recompute")) modules.emplace_back("moe");
  return some_modules(flags, given, modules);
}

}  // namespace

/// Megatron-Core runs nothing again for a part that is not there.
bool has_part(Flags& flags, const Value& given, std::string_view module) {
  const Value* experts = given.find("experts");
  const bool has_experts = experts || flags.has("num-experts") || flags.has("num-moe-experts");
  if (module == "moe" || module == "moe_act") return has_experts;
  if (module == "shared_experts")
    return says(experts, "shared", "0") ||
           (has_experts && flags.has("moe-shared-expert-intermediate-size"));
  if (module == "mlp") return !has_experts || has_dense_layers(flags) || has_dense_layers(given);
  return module != "mla_up_proj" || given.find("latent") || flags.has("multi-latent-attention");
}

Value read_recompute(Flags& flags, const Value& given) {
  if (flags.has("moe-layer-recompute") && !flags.has("recompute-granularity"))
    return some_modules(flags, given, {"moe"});
  if (flags.has("activations-checkpoint-method"))
    return full(flags, "activations-checkpoint-method", "activations-checkpoint-num-layers");
  if (flags.has("checkpoint-activations")) {
    note_groups(flags, "checkpoint-num-layers", flags.number("checkpoint-num-layers", 1));
    return scalar("full");
  }
  const std::string granularity = flags.text("recompute-granularity").value_or("");
  if (flags.has("recompute-activations") || granularity == "selective")
    return selective(flags, given);
  if (granularity == "full") return full(flags, "recompute-method", "recompute-num-layers");
  if (!granularity.empty())
    flags.fail("recompute-granularity", fmt::format("is full or selective, not '{}'", granularity));
  return {};
}

}  // namespace pipewright::megatron
