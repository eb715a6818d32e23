// The inverse of config_file.cpp. An override is called as argparse stores the argument.
#include "convert/primus/writer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "config/emit.hpp"
#include "convert/job/carried.hpp"
#include "convert/megatron/along.hpp"
#include "convert/megatron/demands.hpp"
#include "convert/megatron/lengths.hpp"
#include "convert/megatron/writers.hpp"
#include "experiment/hardware.hpp"
#include "interop/words.hpp"

namespace pipewright::primus {
namespace {

using config::scalar;
using config::Value;
using megatron::ArgumentLine;

/// An argument that is stored under another name, and what a flag stores.
struct Stored {
  std::string_view argument, key, value;
};
constexpr Stored stored[] = {{"fp8-format", "fp8", ""},
                             {"fp4-format", "fp4", ""},
                             {"disable-bias-linear", "add_bias_linear", "false"},
                             {"no-rope-fusion", "apply_rope_fusion", "false"},
                             {"no-overlap-p2p-communication", "overlap_p2p_comm", "false"}};

/// What holds without an argument, and what Primus's presets set otherwise.
constexpr std::pair<std::string_view, std::string_view> without[] = {
    {"swiglu", "false"},
    {"untie_embeddings_and_output_weights", "false"},
    {"add_bias_linear", "true"},
    {"sequence_parallel", "false"},
    {"use_distributed_optimizer", "false"},
    {"bf16", "false"}};

std::string key_of(std::string_view argument) {
  std::string key(argument);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

/// Returns the value that Bash makes of what is written.
Value value_of(const ArgumentLine& line) {
  if (line.value.empty()) return job::truth(true);
  std::string text = line.value;
  std::erase(text, '\'');
  if (line.name != "recompute-modules") return scalar(text);
  Value list;
  list.kind = Value::Kind::list;
  for (const std::string_view word : interop::words_of(text)) list.items.push_back(scalar(word));
  return list;
}

/// On devices of AMD Primus has DeepEP by a patch of its own
/// (primus/backends/megatron/patches/turbo/moe_dispatcher_patches.py).
void send_by_turbo(const Experiment& e, Value& out) {
  constexpr std::string_view backend = "moe_flex_dispatcher_backend";
  const Cluster cluster = cluster_of(e, config::Catalogue());
  const bool is_amd = std::ranges::any_of(
      cluster.device_types, [](const Device& device) { return device.name.starts_with("mi"); });
  if (!is_amd || !out.find(backend)) return;
  std::erase_if(out.entries, [&](const config::Entry& entry) { return entry.key == backend; });
  for (const char* key : {"enable_primus_turbo", "use_turbo_deepep"})
    out.set(key, job::truth(true));
}

Value overrides(const Experiment& e, const Value& along) {
  Value out;
  for (const auto& [key, value] : without) out.set(key, scalar(value));
  megatron::check_demands(e, true);
  megatron::ArgumentLines arguments = megatron::all_arguments(e);
  megatron::write_own_constants(e, arguments);
  for (const ArgumentLine& line : arguments.lines()) {
    const auto other = std::find_if(std::begin(stored), std::end(stored),
                                    [&](const Stored& one) { return one.argument == line.name; });
    if (other == std::end(stored))
      out.set(key_of(line.name), value_of(line));
    else
      out.set(other->key, other->value.empty() ? value_of(line) : scalar(other->value));
  }
  megatron::keep_dispatcher(&along, out);
  send_by_turbo(e, out);
  out = megatron::in_unit_of(along, "", out);
  // The preset counts a training in iterations.
  if (out.find("train_samples")) out.set("train_iters", {});
  return out;
}

int64_t count_at(const Value& map, std::string_view key) {
  const Value* value = map.find(key);
  return value ? interop::number_of<int64_t>(value->text).value_or(0) : 0;
}

}  // namespace

std::string write_config(const Experiment& experiment, const Value& along) {
  const Value said = overrides(experiment, along);
  const char* length = said.find("train_samples") ? "train_samples" : "train_iters";
  const int64_t before = count_at(along, length), now = count_at(said, length);
  Value with_rates = along;
  const std::vector<megatron::Stretched> stretched = megatron::stretch(with_rates, before, now);
  Value config;
  config.set("exp_name", scalar("pipewright"));
  Value& trainer = config.set("modules", {}).set("pre_trainer", {});
  trainer.set("framework", scalar("megatron"));
  trainer.set("config", scalar("pre_trainer.yaml"));
  trainer.set("model", scalar("language_model.yaml"));
  job::lay_under(trainer.set("overrides", said), with_rates);
  return megatron::stretched_lines(stretched, length, before, now) + config::to_yaml(config);
}

}  // namespace pipewright::primus
