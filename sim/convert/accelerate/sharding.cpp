// After src/accelerate/utils/dataclasses.py (FullyShardedDataParallelPlugin, MegatronLMPlugin,
// ParallelismConfig), July 2026. Under mixed precision FSDP gathers weights and reduces gradients
// in the small format; plain copies keep weights and gradients in fp32 and cast by torch.autocast
// (accelerator.py, prepare_model).
#include "convert/accelerate/sharding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "interop/words.hpp"

namespace pipewright::accelerate {
namespace {

using config::number;
using config::scalar;
using config::Value;

constexpr int64_t most_sharing = 1'048'576;

/// What a strategy of FSDP cuts.
struct Strategy {
  std::string_view name, number;
  bool cuts = true, reshards = true, by_machine = false;
};
constexpr Strategy strategies[] = {{"full_shard", "1", true, true, false},
                                   {"shard_grad_op", "2", true, false, false},
                                   {"no_shard", "3", false, false, false},
                                   {"hybrid_shard", "4", true, true, true},
                                   {"hybrid_shard_zero2", "5", true, false, true}};

/// FSDP's second version says a truth where the first one named a strategy, which it still may.
Strategy strategy_of(job::Settings& settings) {
  const Value* value = settings.find(
      {"fsdp_config.fsdp_sharding_strategy", "fsdp_config.fsdp_reshard_after_forward"});
  if (!value) return strategies[0];
  const std::string name = interop::lower_case(value->text);
  for (const Strategy& one : strategies)
    if (one.name == name || one.number == name) return one;
  Strategy strategy = strategies[0];
  strategy.reshards = job::python_truth(*value);
  return strategy;
}

/// Returns how many replicas weights are cut over; 0 for all.
int64_t shards_of(job::Settings& settings, const Strategy& strategy, const Devices& devices) {
  const int64_t copies =
      settings.integer({"parallelism_config.parallelism_config_dp_replicate_size"}, 1);
  const int64_t said =
      settings.integer({"parallelism_config.parallelism_config_dp_shard_size"}, -1, -1);
  if (said > 0 && said * copies != devices.data())
    throw InputError(settings.where("parallelism_config"),
                     fmt::format("{} shards x {} copies are not the {} replicas that there are",
                                 said, copies, devices.data()));
  const int64_t replicas = devices.data() * devices.context;
  if (copies > 1) return replicas / copies;
  return strategy.by_machine && devices.machines > 1 ? replicas / devices.machines : 0;
}

void write_fsdp(job::Settings& settings, const Devices& devices, Value& parallel) {
  const Strategy strategy = strategy_of(settings);
  const bool is_second = settings.integer({"fsdp_config.fsdp_version"}, 1) == 2;
  Value& e = settings.import().experiment;
  e.set("framework", scalar(is_second ? "fsdp2" : "torch"));
  // Ranks of a sequence's parts share the weights too (accelerate's mesh dp_shard_cp).
  const int64_t replicas = devices.data() * devices.context;
  const bool cuts = strategy.cuts && replicas > 1;
  parallel.set("zero", number(cuts ? 3 : 0));
  if (cuts) {
    const int64_t shards = shards_of(settings, strategy, devices);
    if (shards > 1 && shards < replicas) parallel.set("shard", number(shards));
    if (shards == 1) parallel.set("zero", number(0));
    if (!strategy.reshards && shards != 1) parallel.set("reshard", job::truth(false));
  }
  if (settings.truth({"fsdp_config.fsdp_offload_params"}, false))
    settings.refuse(
        "fsdp_config.fsdp_offload_params",
        "cannot be said: FSDP cuts the weights, and only whole ones are offloaded here");
  if (settings.truth({"fsdp_config.fsdp_activation_checkpointing"}, false))
    e.set("recompute", scalar("full"));
}

constexpr std::string_view megatron_key = "megatron_lm_config.megatron_lm_";

/// Keys that the plugin of Megatron-LM has since version 1.13.
constexpr std::string_view late_keys[] = {"use_custom_fsdp",
                                          "overlap_cpu_optimizer_d2h_h2d",
                                          "no_save_optim",
                                          "optimizer_cpu_offload",
                                          "use_precision_aware_optimizer",
                                          "decoder_last_pipeline_num_layers",
                                          "recompute_granularity",
                                          "recompute_method",
                                          "recompute_num_layers",
                                          "attention_backend",
                                          "expert_model_parallel_size",
                                          "context_parallel_size",
                                          "attention_dropout",
                                          "hidden_dropout",
                                          "attention_softmax_in_fp32",
                                          "expert_tensor_parallel_size",
                                          "calculate_per_token_loss",
                                          "use_rotary_position_embeddings"};

bool is_late(const job::Settings& settings) {
  return std::any_of(std::begin(late_keys), std::end(late_keys), [&](std::string_view key) {
    return settings.has(fmt::format("{}{}", megatron_key, key));
  });
}

/// From version 1.13 on every layer runs again where recompute_granularity does not say otherwise.
/// Before it recompute_activations alone says what does.
void read_recompute(job::Settings& settings) {
  const std::string at(megatron_key);
  Value& e = settings.import().experiment;
  const bool late = is_late(settings);
  const bool asks = settings.truth({at + "recompute_activations"}, false);
  const std::string said = settings.text({at + "recompute_granularity"}, late   ? "full"
                                                                         : asks ? "selective"
                                                                                : "");
  if (said == "selective" || said == "full")
    e.set("recompute", scalar(said));
  else if (!said.empty())
    settings.refuse(at + "recompute_granularity",
                    said + " cannot be said: it is full or selective");
  if (!late)
    settings.import().assumed.push_back(
        fmt::format("{}, as before version 1.13: megatron_lm_recompute_granularity: full says that "
                    "every layer is run again",
                    asks ? "attention is run again" : "no layer is run again"));
}

void write_megatron(job::Settings& settings, const Devices& devices, Value& parallel) {
  const std::string at = "megatron_lm_config.megatron_lm_";
  Value& e = settings.import().experiment;
  e.set("framework", scalar("megatron"));
  const bool sequence = settings.truth({at + "sequence_parallelism"}, false);
  if (devices.tensor > 1) parallel.set("sequence", job::truth(sequence));
  parallel.set("zero", number(settings.truth({at + "use_distributed_optimizer"}, false) ? 1 : 0));
  read_recompute(settings);
}

}  // namespace

void read_degrees(job::Settings& settings, Devices& devices) {
  const auto degree = [&](const char* plugin, const char* name) {
    return settings.integer({fmt::format("{0}_config.{0}_{1}", plugin, name)}, 1);
  };
  const auto parallelism = [&](const char* name) {
    return settings.integer({fmt::format("parallelism_config.parallelism_config_{}", name)}, 1);
  };
  devices.tensor = std::max(parallelism("tp_size"), degree("megatron_lm", "tp_degree"));
  devices.pipeline = degree("megatron_lm", "pp_degree");
  const std::string context = fmt::format("{}context_parallel_size", megatron_key);
  const bool is_megatron = settings.text({"distributed_type"}, "") == "MEGATRON_LM";
  // The plugin's own, where nobody says it.
  const int64_t otherwise = is_megatron && is_late(settings) ? 2 : 1;
  devices.context = std::max(parallelism("cp_size"), settings.integer({context}, otherwise));
  if (devices.tensor > most_sharing || devices.pipeline > most_sharing ||
      devices.context > most_sharing || devices.tensor * devices.pipeline > most_sharing)
    throw InputError(settings.where(""), "the degrees ask for more than a million devices");
  const int64_t model = devices.tensor * devices.pipeline * devices.context;
  if (devices.all % model != 0)
    throw InputError(settings.where("num_processes"),
                     fmt::format("{} processes are no multiple of tensor {} x pipeline {} x "
                                 "context {}",
                                 devices.all, devices.tensor, devices.pipeline, devices.context));
}

void write_sharding(job::Settings& settings, const std::string& type, const Devices& devices,
                    const std::string& precision) {
  Value& e = settings.import().experiment;
  Value parallel;
  parallel.set("tensor", number(devices.tensor));
  parallel.set("pipeline", number(devices.pipeline));
  parallel.set("data", number(devices.data()));
  if (devices.context > 1) {
    Value& context = parallel.set("context", {});
    context.set("degree", number(devices.context));
    const std::string way =
        settings.text({"parallelism_config.parallelism_config_cp_comm_strategy"}, "allgather");
    const bool gathers = type != "MEGATRON_LM" && way == "allgather";
    context.set("exchange", scalar(gathers ? "all-gather" : "ring"));
  }
  std::string gradients = "fp32";
  if (type == "FSDP") {
    write_fsdp(settings, devices, parallel);
    gradients = precision == "fp8" ? "bf16" : precision;
  } else if (type == "MEGATRON_LM") {
    write_megatron(settings, devices, parallel);
  } else {
    e.set("framework", scalar("torch"));
    if (precision == "fp16" || precision == "bf16")
      e.set("precision", {}).set("autocast", scalar(precision));
    else if (precision != "fp32")
      settings.import().slight.emplace_back(
          "mixed_precision: weights stay in fp32, and their casts in every pass are not simulated");
  }
  e.set("parallel", std::move(parallel));
  e.set("gradients", scalar(gradients));
}

}  // namespace pipewright::accelerate
