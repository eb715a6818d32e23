// After megatron/core/transformer/transformer_config.py, model_parallel_config.py and
// distributed/distributed_data_parallel_config.py: fields whose arguments have other names.
#include "convert/megatron/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "convert/megatron/arguments.hpp"
#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

using config::Value;

constexpr Alias core_aliases[] = {
    {"add_bias_linear", "disable-bias-linear", true},
    {"share_embeddings_and_output_weights", "untie-embeddings-and-output-weights", true},
    {"overlap_p2p_comm", "no-overlap-p2p-communication", true},
    {"virtual_pipeline_model_parallel_size", "num-virtual-stages-per-pipeline-rank"},
    {"microbatch_group_size_per_vp_stage", "microbatch-group-size-per-virtual-pipeline-stage"},
    {"num_layers_in_first_pipeline_stage", "decoder-first-pipeline-num-layers"},
    {"num_layers_in_last_pipeline_stage", "decoder-last-pipeline-num-layers"},
    {"fp8", "fp8-format"},
    {"fp4", "fp4-format"},
    {"rotary_percentage", "rotary-percent"},
    {"rope_scaling", "use-rope-scaling"},
    {"seq_len_interpolation_factor", "rotary-seq-len-interpolation-factor"},
    {"layernorm_zero_centered_gamma", "apply-layernorm-1p"},
    {"average_in_collective", "ddp-average-in-collective"},
    {"bucket_size", "ddp-bucket-size"},
    {"grad_reduce_in_fp32", "grad-reduce-in-bf16", true},
    {"bias_dropout_add_fusion", "bias-dropout-fusion"}};

/// A key that says nothing where none of others is on.
struct Dependent {
  std::string_view key;
  std::array<std::string_view, 3> of;
};
constexpr Dependent dependents[] = {
    {"num_layers_at_start_in_bf16", {"first_last_layers_bf16"}},
    {"num_layers_at_end_in_bf16", {"first_last_layers_bf16"}},
    {"cpu_offloading_num_layers", {"cpu_offloading"}},
    {"cpu_offloading_activations", {"cpu_offloading"}},
    {"cpu_offloading_weights", {"cpu_offloading"}},
    {"kitchen_attention_backend", {"use_kitchen_attention"}},
    {"cuda_graph_modules", {"enable_cuda_graph", "external_cuda_graph", "cuda_graph_impl"}},
    {"cuda_graph_scope", {"enable_cuda_graph", "external_cuda_graph", "cuda_graph_impl"}}};

bool is_on(const Value* value) {
  if (!value || value->is_null()) return false;
  const std::string text = interop::lower_case(value->text);
  return text != "false" && text != "none";
}

/// Tells whether `key` hangs on others, none of which is on in `map`.
bool is_idle(const Value& map, std::string_view key) {
  for (const Dependent& dependent : dependents)
    if (dependent.key == key)
      return std::none_of(dependent.of.begin(), dependent.of.end(), [&](std::string_view other) {
        return !other.empty() && is_on(map.find(other));
      });
  return false;
}

const Alias* find_alias(std::span<const Alias> aliases, std::string_view key) {
  const auto found = std::find_if(aliases.begin(), aliases.end(),
                                  [&](const Alias& alias) { return alias.key == key; });
  return found == aliases.end() ? nullptr : &*found;
}

std::string dashed(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// An argument, and whether it stands where the key is false.
struct Named {
  const Argument* argument = nullptr;
  bool negated = false;
};

Named named(const Dialect& dialect, std::string_view key) {
  const Alias* alias = find_alias(dialect.aliases, key);
  if (!alias) alias = find_alias(core_aliases, key);
  if (alias) return {find_argument(alias->argument), alias->negated};
  if (const Argument* argument = find_argument(dashed(key))) return {argument, false};
  return {find_argument("no-" + dashed(key)), true};
}

/// "([0]*3+[1]*58)" for the list of a 0 or a 1 for each layer, where the first ones have a 0.
std::string pattern_of(const Value& list) {
  const auto first = std::find_if(list.items.begin(), list.items.end(),
                                  [](const Value& item) { return item.text != "0"; });
  const auto dense = first - list.items.begin();
  if (std::any_of(first, list.items.end(), [](const Value& item) { return item.text != "1"; }))
    return job::written(list);
  return fmt::format("([0]*{}+[1]*{})", dense, list.items.end() - first);
}

/// "Ett|tt|mL" for a list of stages, each a list of layers by the names of Megatron-Core's
/// LayerType; nothing for another list.
std::optional<std::string> layout_of(const Value& stages) {
  constexpr std::pair<std::string_view, char> names[] = {
      {"embedding", 'E'}, {"decoder", 't'}, {"mtp", 'm'}, {"loss", 'L'}};
  std::string text;
  for (const Value& stage : stages.items) {
    if (!stage.is_list()) return std::nullopt;
    if (&stage != &stages.items.front()) text += '|';
    for (const Value& layer : stage.items) {
      const auto* found = std::ranges::find(names, std::string_view(layer.text),
                                            &std::pair<std::string_view, char>::first);
      if (found == std::end(names)) return std::nullopt;
      text += found->second;
    }
  }
  return text;
}

/// A list as the argument has it in one word; nothing where it has one word for each item.
std::optional<std::string> word_of(std::string_view name, const Value& list) {
  constexpr std::string_view of_layers[] = {"moe-layer-freq", "window-attn-skip-freq",
                                            "linear-attention-freq"};
  if (std::ranges::find(of_layers, name) != std::end(of_layers)) return pattern_of(list);
  return name == "pipeline-model-parallel-layout" ? layout_of(list) : std::nullopt;
}

/// Returns a number format of PyTorch as arguments have it; nothing for another text. Moments in
/// fp8 are bytes (megatron/core/optimizer/optimizer_config.py).
std::optional<std::string> format_of(const std::string& text) {
  for (const auto& [type, name] : {std::pair("torch.float32", "fp32"),
                                   {"torch.bfloat16", "bf16"},
                                   {"torch.float16", "fp16"},
                                   {"torch.uint8", "fp8"}})
    if (text == type) return name;
  return std::nullopt;
}

/// Returns what a file of objects means: {_target_: ...AttnBackend, _args_: [5]}, whose names are
/// those of megatron/core/transformer/enums.py, or {_target_: torch.float32}.
std::string object_of(const Value& value) {
  constexpr std::string_view names[] = {"", "flash", "fused", "unfused", "local", "auto"};
  const Value* target = value.find("_target_");
  if (const auto format = target ? format_of(target->text) : std::nullopt) return *format;
  const Value* values = value.find("_args_");
  if (!target || !target->text.ends_with("AttnBackend") || !values || values->items.size() != 1)
    return job::written(value);
  return std::string(names[config::as_int(values->items[0], 1, std::ssize(names) - 1)]);
}

void add(const Named& named, const Value& value, const std::string& path,
         std::vector<job::Word>& words) {
  const std::string name(named.argument->name);
  const Where where = value.mark.where();
  if (named.argument->takes == Takes::flag || named.negated) {
    if (job::python_truth(value) != named.negated)
      words.push_back({"--" + name, where, {}, fmt::format("{}: {}", path, value.text)});
    return;
  }
  words.push_back({"--" + name, where, {}, path});
  const auto word = value.is_list() ? word_of(name, value) : std::nullopt;
  if (word) {
    words.push_back({*word, where, {}, {}});
  } else if (value.is_list() && named.argument->takes == Takes::some) {
    for (const Value& item : value.items)
      words.push_back({job::written(item), item.mark.where(), {}, {}});
  } else if (value.is_list()) {
    std::string joined;
    for (const Value& item : value.items)
      joined += (joined.empty() ? "" : ",") + job::written(item);
    words.push_back({joined, where, {}, {}});
  } else if (value.is_map()) {
    words.push_back({object_of(value), where, {}, {}});
  } else {
    words.push_back({format_of(value.text).value_or(job::written(value)), where, {}, {}});
  }
}

}  // namespace

void add_arguments(job::Settings& settings, const std::string& section, const Dialect& dialect,
                   std::vector<job::Word>& words) {
  const Value* map = settings.look(section);
  if (!map || map->is_null()) return;
  if (!map->is_map()) map->fail("must be a map of settings");
  for (const config::Entry& entry : map->entries) {
    const std::string path = section.empty() ? entry.key : section + '.' + entry.key;
    const bool is_empty = entry.value.is_list() && entry.value.items.empty();
    if (entry.value.is_null() || is_empty) {
      settings.find(std::string_view(path));
      continue;
    }
    const Named argument = named(dialect, entry.key);
    if (!argument.argument || settings.is_used(path) || find_key(dialect.own, path)) continue;
    settings.find(std::string_view(path));
    if (is_idle(*map, entry.key))
      settings.import().unused.push_back(fmt::format("{}: {}", path, job::written(entry.value)));
    else
      add(argument, entry.value, path, words);
  }
}

void add_argument(const std::string& name, const std::string& value, const std::string& path,
                  const Where& where, std::vector<job::Word>& words) {
  words.push_back({"--" + name, where, {}, path});
  if (!value.empty()) words.push_back({value, where, {}, {}});
}

job::Devices defined_devices(const job::Source& source) {
  return {.nodes = {}, .per_node = {}, .all = job::given_devices(source)};
}

}  // namespace pipewright::megatron
