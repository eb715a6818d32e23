// The inverse of config_file.cpp. Keys are those of src/accelerate/commands/launch.py, July 2026.
// FSDP goes out as its second version, but without shards, which the first one alone can do.
#include "convert/accelerate/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "config/emit.hpp"
#include "convert/job/carried.hpp"
#include "convert/job/hosts.hpp"
#include "convert/job/job.hpp"
#include "workload/model/model.hpp"

namespace pipewright::accelerate {
namespace {

using config::number;
using config::scalar;
using config::Value;

enum class Plugin { none, fsdp, deepspeed, megatron };

bool is_of_deepspeed(Framework framework) {
  return framework == Framework::deepspeed || framework == Framework::deepspeed_0_5 ||
         framework == Framework::deepspeed_0_4;
}

/// FSDP keeps gradients in the format of its products, plain copies in fp32.
bool has_small_gradients(const Experiment& e) { return e.gradients != DType::fp32; }

Plugin plugin_of(const Experiment& e) {
  const Parallel& p = e.parallel;
  if (p.pipeline > 1) return Plugin::megatron;
  if (is_of_deepspeed(e.framework)) return Plugin::deepspeed;
  if (is_megatron(e.framework) && p.zero <= 1) return Plugin::megatron;
  if (p.zero == 1 || p.zero == 2) return Plugin::deepspeed;
  const bool is_cut = p.zero == 3 || p.tensor > 1 || p.context > 1;
  return is_cut || has_small_gradients(e) ? Plugin::fsdp : Plugin::none;
}

int64_t devices_of(const Parallel& p) {
  return int64_t{p.tensor} * p.pipeline * p.context * std::max(p.data, 1);
}

int64_t micro_batches(const Experiment& e) {
  const int64_t replicas = std::max(e.parallel.data, 1);
  return std::max<int64_t>(e.batch.global / e.batch.micro / replicas, 1);
}

std::string recompute_of(const Experiment& e) {
  const Value* recompute = e.document.find("recompute");
  return recompute ? recompute->text : "none";
}

/// Plain copies keep weights in fp32. FSDP and DeepSpeed, which has fp32 beside bf16 without ZeRO
/// alone, keep gradients as small as weights.
void check_gradients(const Experiment& e, Plugin plugin) {
  const bool is_half = e.precision == DType::bf16 || e.precision == DType::fp16;
  const bool is_by_itself =
      plugin == Plugin::deepspeed && e.parallel.zero == 0 && e.precision == DType::bf16;
  if (!is_half || e.autocast || has_small_gradients(e) || is_by_itself ||
      plugin == Plugin::megatron)
    return;
  const std::string_view name = name_of(e.precision);
  e.misfit("gradients",
           fmt::format("accelerate cannot say gradients in fp32 beside weights in {0}: plain "
                       "copies have both in fp32 (precision: {{autocast: {0}}}), FSDP and ZeRO "
                       "both in {0} (gradients: {0})",
                       name));
}

std::string_view type_of(Plugin plugin, int64_t devices) {
  switch (plugin) {
    case Plugin::fsdp:
      return "FSDP";
    case Plugin::deepspeed:
      return "DEEPSPEED";
    case Plugin::megatron:
      return "MEGATRON_LM";
    default:
      return devices > 1 ? "MULTI_GPU" : "NO";
  }
}

/// YAML takes NO and no for a truth where nothing is around them.
Value word(std::string_view text) {
  Value value = scalar(text);
  value.quoted = true;
  return value;
}

void write_precision(const Experiment& e, Value& config) {
  const bool is_plain = e.precision == DType::fp32;
  config.set("mixed_precision", word(is_plain ? "no" : name_of(e.precision)));
  if (e.precision == DType::fp8)
    config.set("fp8_config", {})
        .set("backend", scalar(e.scaling == Scaling::tensorwise ? "AO" : "TE"));
}

/// Where all replicas share the weights, no copies of them are said.
void write_degrees(const Parallel& p, Value& config) {
  const int64_t replicas = int64_t{std::max(p.data, 1)} * p.context;
  const bool has_copies = p.shard > 0 && p.shard < replicas;
  if (p.tensor == 1 && p.context == 1 && !has_copies) return;
  const int64_t copies = has_copies ? replicas / p.shard : 1;
  Value& degrees = config.set("parallelism_config", {});
  const auto set = [&](std::string_view name, int64_t degree) {
    degrees.set(fmt::format("parallelism_config_{}", name), number(degree));
  };
  set("dp_replicate_size", copies);
  set("dp_shard_size", std::max<int64_t>(std::max(p.data, 1) / copies, 1));
  set("tp_size", p.tensor);
  set("cp_size", p.context);
  if (p.context == 1) return;
  const bool gathers = p.context_options.exchange == ContextExchange::all_gather;
  degrees.set("parallelism_config_cp_comm_strategy", scalar(gathers ? "allgather" : "alltoall"));
}

void write_fsdp(const Experiment& e, Value& config) {
  const Parallel& p = e.parallel;
  const bool is_cut = p.zero == 3 || devices_of(p) == 1;
  Value& fsdp = config.set("fsdp_config", {});
  fsdp.set("fsdp_version", number(is_cut ? 2 : 1));
  if (is_cut)
    fsdp.set("fsdp_reshard_after_forward", job::truth(p.reshard.value_or(true)));
  else
    fsdp.set("fsdp_sharding_strategy", scalar("NO_SHARD"));
  fsdp.set("fsdp_auto_wrap_policy", scalar("TRANSFORMER_BASED_WRAP"));
  fsdp.set("fsdp_activation_checkpointing", job::truth(recompute_of(e) == "full"));
  fsdp.set("fsdp_offload_params", job::truth(false));
  write_degrees(p, config);
}

void write_deepspeed(const Experiment& e, Value& config) {
  Value& deepspeed = config.set("deepspeed_config", {});
  deepspeed.set("zero_stage", number(e.parallel.zero));
  deepspeed.set("gradient_accumulation_steps", number(micro_batches(e)));
  deepspeed.set("offload_optimizer_device", scalar(e.offload.optimizer ? "cpu" : "none"));
  deepspeed.set("offload_param_device", scalar("none"));
}

/// The plugin runs every layer again since version 1.13, unless it is told to run attention again.
/// Without the keys of that version a file says what it did before.
void write_megatron(const Experiment& e, Value& config) {
  const Parallel& p = e.parallel;
  const std::string recompute = recompute_of(e);
  const bool is_late = recompute == "full" || recompute == "selective";
  if (!is_late && p.context > 1)
    e.misfit("recompute",
             "accelerate cannot say context groups without recompute: its plugin of Megatron-LM "
             "runs layers again wherever it has them; recompute is full or selective");
  Value& megatron = config.set("megatron_lm_config", {});
  const auto set = [&](std::string_view name, Value value) {
    megatron.set(fmt::format("megatron_lm_{}", name), std::move(value));
  };
  set("tp_degree", number(p.tensor));
  set("pp_degree", number(p.pipeline));
  if (is_late) set("context_parallel_size", number(p.context));
  set("num_micro_batches", number(micro_batches(e)));
  set("sequence_parallelism", job::truth(p.sequence));
  set("use_distributed_optimizer", job::truth(p.zero == 1));
  set("recompute_activations", job::truth(recompute == "selective"));
  if (is_late) set("recompute_granularity", scalar(recompute));
}

/// Keys of the first version of FSDP that the second one has no use for.
constexpr std::string_view of_first_fsdp[] = {
    "fsdp_use_orig_params", "fsdp_sync_module_states", "fsdp_backward_prefetch",
    "fsdp_backward_prefetch_policy", "fsdp_forward_prefetch"};

/// Returns what goes along without the sections of plugins that `config` does not have.
Value along_of(const Value& along, const Value& config) {
  Value rest = along;
  std::erase_if(rest.entries, [&](const config::Entry& entry) {
    return entry.value.is_map() && !config.find(entry.key);
  });
  Value* fsdp = rest.find("fsdp_config");
  const Value* version = job::value_at(config, "fsdp_config.fsdp_version");
  if (fsdp && version && version->text == "2")
    std::erase_if(fsdp->entries, [](const config::Entry& entry) {
      return std::ranges::find(of_first_fsdp, entry.key) != std::end(of_first_fsdp);
    });
  return rest;
}

}  // namespace

std::string write_config(const Experiment& experiment, const Value& along) {
  const Plugin plugin = plugin_of(experiment);
  check_gradients(experiment, plugin);
  const int64_t devices = devices_of(experiment.parallel);
  Value config;
  config.set("compute_environment", scalar("LOCAL_MACHINE"));
  config.set("distributed_type", word(type_of(plugin, devices)));
  config.set("num_machines", number(job::hosts_of(experiment).count));
  config.set("num_processes", number(devices));
  write_precision(experiment, config);
  if (plugin == Plugin::fsdp) write_fsdp(experiment, config);
  if (plugin == Plugin::deepspeed) write_deepspeed(experiment, config);
  if (plugin == Plugin::megatron) write_megatron(experiment, config);
  const bool is_torchs_own = plugin == Plugin::none || plugin == Plugin::fsdp;
  if (is_torchs_own && experiment.kernels == KernelFusion::fused)
    config.set("dynamo_config", {}).set("dynamo_backend", scalar("INDUCTOR"));
  job::lay_under(config, along_of(along, config));
  return config::to_yaml(config);
}

std::map<std::string, std::string> program_arguments(const Experiment& experiment) {
  const Plugin plugin = plugin_of(experiment);
  const int64_t sequence = experiment.batch.sequence > 0
                               ? experiment.batch.sequence
                               : experiment.model_or_fail().sequence.value_or(0);
  std::map<std::string, std::string> arguments = {
      {"per_device_train_batch_size", std::to_string(experiment.batch.micro)},
      {"max_seq_length", std::to_string(sequence)}};
  const bool says_no_steps = plugin == Plugin::none || plugin == Plugin::fsdp;
  if (says_no_steps)
    arguments["gradient_accumulation_steps"] = std::to_string(micro_batches(experiment));
  const bool says_no_recomputation = plugin == Plugin::none || plugin == Plugin::deepspeed;
  if (says_no_recomputation && recompute_of(experiment) == "full")
    arguments["gradient_checkpointing"] = "true";
  return arguments;
}

std::string started(const Experiment& experiment) {
  const job::Hosts hosts = job::hosts_of(experiment);
  if (hosts.count == 1) return {};
  return fmt::format(
      "start it on each of {0} machines, whose ranks are 0 to {1}, by: accelerate launch "
      "--config_file FILE --machine_rank RANK --main_process_ip HOST --main_process_port 29500 "
      "PROGRAM",
      hosts.count, hosts.count - 1);
}

}  // namespace pipewright::accelerate
