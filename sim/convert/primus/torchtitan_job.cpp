// After primus/configs/modules/torchtitan and primus/backends/torchtitan, August 2026.
#include "convert/primus/torchtitan_job.hpp"

#include <algorithm>
#include <vector>

#include "convert/torchtitan/job_file.hpp"
#include "convert/torchtitan/keys.hpp"

namespace pipewright::primus {
namespace {

using config::Value;
using job::Effect;

constexpr std::string_view torchtitan_trainer = R"(
training: {steps: 10000}
activation_checkpoint: {mode: none}
compile: {enable: true, components: [model, loss]}
primus_turbo: {enable_primus_turbo: true}
)";

constexpr job::Key torchtitan_keys[] = {
    {"sink_level", Effect::nothing, "logs"},
    {"file_sink_level", Effect::nothing, "logs"},
    {"stderr_sink_level", Effect::nothing, "logs"},
    {"trainable", Effect::nothing, "which module trains"},
    {"training.mock_data", Effect::nothing, "data"},
    {"experimental.custom_args_module", Effect::nothing, "Primus's own keys"},
    {"quantize.grouped_mm.*", Effect::nothing, "of experts, whose products are not in fp8"},
    {"primus_turbo.enable_attention_float8", Effect::refused, "attention in fp8 is not modelled",
     "false"},
    {"primus_turbo.use_classic_attention", Effect::refused,
     "DeepSeek's model without latent attention is not read", "false"},
    {"primus_turbo.*", Effect::slight, "kernels of Primus-Turbo are taken to be as others"}};

/// A key without a value is as one that is not there.
void drop_nulls(Value& value) {
  std::erase_if(value.entries, [](const config::Entry& entry) { return entry.value.is_null(); });
  for (config::Entry& entry : value.entries) drop_nulls(entry.value);
}

bool is_true(const Value& whole, std::string_view path) {
  const Value* value = job::value_at(whole, path);
  return value && job::python_truth(*value);
}

/// Experts compute in fp8 where a converter or Primus-Turbo's grouped products say so.
bool narrows_experts(const Value& whole) {
  const Value* converters = job::value_at(whole, "model.converters");
  const bool converts =
      converters &&
      std::any_of(converters->items.begin(), converters->items.end(), [](const Value& item) {
        return item.text.find("grouped_mm") != std::string::npos;
      });
  const bool turbo = is_true(whole, "primus_turbo.enable_primus_turbo") &&
                     is_true(whole, "primus_turbo.use_turbo_grouped_mm") &&
                     is_true(whole, "primus_turbo.use_moe_fp8");
  return converts || turbo;
}

bool has_experts(const Value& experiment) {
  const Value* transformer = experiment.find("model")->find("transformer");
  return !transformer || transformer->find("experts");
}

}  // namespace

Value torchtitan_preset() { return config::parse(torchtitan_trainer, "Primus's pre_trainer.yaml"); }

job::Import import_torchtitan(Value whole, const job::Source& source, job::Import notes) {
  drop_nulls(whole);
  const bool is_narrow = narrows_experts(whole);
  std::vector<job::Key> all(std::begin(torchtitan_keys), std::end(torchtitan_keys));
  const std::span<const job::Key> theirs = torchtitan::other_keys();
  all.insert(all.end(), theirs.begin(), theirs.end());
  notes.from = "a configuration of Primus for torchtitan";
  job::Import import = torchtitan::import_document(std::move(whole), source, all, std::move(notes));
  if (is_narrow && has_experts(import.experiment))
    job::refuse(source, import, {source.file, 1, 1},
                "experts in fp8 of their own cannot be said (model.converters or "
                "primus_turbo.use_moe_fp8)");
  return import;
}

}  // namespace pipewright::primus
