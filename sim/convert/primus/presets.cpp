// After primus/core/config/yaml_loader.py (extends, ${NAME:otherwise}), August 2026, and what came
// before it (includes and bases, of which the first one holds, in 2025).
#include "convert/primus/presets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/documents.hpp"

namespace pipewright::primus {
namespace {

using config::Value;

constexpr int deepest = 16;

/// What primus/configs/modules/megatron/pre_trainer.yaml and trainer_base.yaml set otherwise than
/// Megatron-LM's arguments do, or leave to nobody else; sequence_parallel is one of
/// primus/configs/models/megatron/language_model.yaml, on which every model rests.
constexpr std::string_view trainer = R"(
bf16: true
micro_batch_size: 2
global_batch_size: 16
seq_length: 1024
train_iters: 1000
optimizer: adam
use_distributed_optimizer: true
overlap_p2p_comm: true
overlap_grad_reduce: false
fp8_recipe: delayed
sequence_parallel: true
)";

/// What primus/configs/models/megatron/language_model.yaml sets otherwise than Megatron-LM's
/// arguments do; every model of Primus rests on it.
constexpr std::string_view language_model = R"(
num_layers: 24
hidden_size: 1024
num_attention_heads: 16
swiglu: true
add_bias_linear: false
untie_embeddings_and_output_weights: true
position_embedding_type: learned_absolute
)";

/// Where a preset lies in a checkout of Primus.
std::string in_checkout(const std::string& folder, const std::string& file) {
  return fmt::format("primus/configs/{}/{}", folder, file);
}

/// Returns a preset that is packaged here too, or nothing.
std::optional<Value> packaged(const std::string& file) {
  if (file != "language_model.yaml") return std::nullopt;
  return config::parse(language_model, "Primus's language_model.yaml");
}

Value read(const job::Source& source, const Value& name, const std::string& folder, int depth) {
  const std::string& path = config::as_text(name);
  const std::string file =
      path.ends_with(".yaml") || path.ends_with(".yml") ? path : path + ".yaml";
  const std::string path_there = in_checkout(folder, file);
  std::optional<Value> found = job::find_document(source, file, name.mark);
  if (!found) found = job::find_document(source, path_there, config::Mark{});
  if (!found) found = packaged(file);
  if (!found)
    name.fail(
        fmt::format("'{}' is packaged with Primus: give it as a further FILE "
                    "({})",
                    file, path_there));
  if (found->is_null()) found->kind = Value::Kind::map;
  if (!found->is_map()) found->fail("a preset must be a map");
  job::resolve_variables(source, *found);
  Value whole;
  whole.kind = Value::Kind::map;
  for (const char* key : {"includes", "bases", "extends"}) {
    const Value* others = found->find(key);
    if (!others) continue;
    if (!others->is_list()) others->fail("must be a list of presets");
    if (depth == deepest) others->fail("presets extend each other more than 16 deep");
    std::vector<Value> names = others->items;
    if (key != std::string_view("extends")) std::reverse(names.begin(), names.end());
    for (const Value& base : names) config::merge(whole, read(source, base, folder, depth + 1));
  }
  config::merge(whole, *found);
  std::erase_if(whole.entries, [](const config::Entry& entry) {
    return entry.key == "extends" || entry.key == "bases" || entry.key == "includes";
  });
  return whole;
}

}  // namespace

Value trainer_preset() { return config::parse(trainer, "Primus's pre_trainer.yaml"); }

Value read_preset(const job::Source& source, const Value& name, const std::string& folder) {
  return read(source, name, folder, 0);
}

bool has_preset(const job::Source& source, const Value& name, const std::string& folder) {
  const std::string& file = config::as_text(name);
  return job::find_document(source, file, name.mark) ||
         job::find_document(source, in_checkout(folder, file), config::Mark{});
}

}  // namespace pipewright::primus
