// After src/megatron/bridge/training/config.py (ConfigContainer) and recipes/common.py
// (_pretrain_common), August 2026: a section for each configuration, in Megatron-Core's words.
#include "convert/megatron_bridge/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/python_yaml.hpp"
#include "convert/job/carried.hpp"
#include "convert/job/documents.hpp"
#include "convert/job/given_model.hpp"
#include "convert/job/named_node.hpp"
#include "convert/megatron/activation.hpp"
#include "convert/megatron/document.hpp"
#include "convert/megatron/translation.hpp"
#include "convert/megatron/writers.hpp"
#include "convert/megatron_bridge/keys.hpp"
#include "convert/megatron_bridge/peft.hpp"
#include "convert/megatron_bridge/precision.hpp"
#include "convert/megatron_bridge/vocabulary.hpp"

namespace pipewright::megatron_bridge {
namespace {

using config::Value;

/// What _pretrain_common sets for every recipe that decides the time of a step.
constexpr std::string_view common_name = "Megatron Bridge's recipes";
constexpr std::string_view common = R"(
train: {train_iters: 300000, global_batch_size: 32, micro_batch_size: 2}
ddp: {grad_reduce_in_fp32: true, overlap_grad_reduce: true, overlap_param_gather: true,
      use_distributed_optimizer: true}
mixed_precision: bf16_mixed
tokenizer: {use_tokenizer_vocab_size: true}
)";

/// The class of a section, which says no more than Megatron-Core does.
struct Target {
  std::string_view section, name, why;
};
constexpr Target plain_targets[] = {
    {"model", "GPTModelProvider",
     "its class in Python decides norms, gating, positions, tying and biases; give the model by "
     "--model NAME of the catalogue, or its Hugging Face config.json as a further FILE"},
    {"optimizer", "OptimizerConfig", "only the plain OptimizerConfig is known"},
    {"ddp", "DistributedDataParallelConfig",
     "only the plain DistributedDataParallelConfig is known"},
    {"comm_overlap", "CommOverlapConfig", "only the plain CommOverlapConfig is known"},
    {"mixed_precision", "MixedPrecisionConfig", "only the plain MixedPrecisionConfig is known"}};

constexpr std::string_view sections[] = {"model", "train", "optimizer",
                                         "ddp",   "dist",  "comm_overlap"};

/// Lists in `text` what below `value` comes from `common`.
void list_common(const Value& value, const std::string& path, std::string& text) {
  for (const config::Entry& entry : value.entries) {
    const std::string key = path.empty() ? entry.key : path + '.' + entry.key;
    list_common(entry.value, key, text);
    if (!entry.value.is_scalar() || entry.value.mark.where().file != common_name) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, entry.value.text);
  }
}

/// An argument as a user of Megatron Bridge would write it.
std::string spelled(const std::string& argument) {
  std::string key = argument;
  std::replace(key.begin(), key.end(), '-', '_');
  const bool trains = argument == "micro-batch-size" || argument == "global-batch-size";
  return (trains ? "train." : argument == "tokenizer-type" ? "tokenizer." : "model.") + key;
}

constexpr std::string_view tensor_overlap = "comm_overlap.tp_comm_overlap";

class Recipe {
 public:
  Recipe(Value root, const job::Source& source, job::Import notes)
      : source_(source),
        notes_(std::move(notes)),
        transformer_(job::given_transformer(source)),
        settings_(document(std::move(root)), source, notes_) {}

  job::Import run() {
    launch_.where = {source_.file, 1, 1};
    launch_.spelled = spelled;
    if (!transformer_ && !settings_.look("model.num_layers"))
      throw InputError({source_.file, 1, 1},
                       "nothing here says the model: give its Hugging Face config.json as a "
                       "further FILE, or --model NAME of the catalogue");
    targets();
    precision();
    gradients();
    groups();
    overlap();
    experts();
    sizes();
    const megatron::Dialect dialect{{}, own_keys()};
    for (const std::string_view section : sections)
      megatron::add_arguments(settings_, std::string(section), dialect, launch_.arguments);
    if (const Value* precision = settings_.look("mixed_precision");
        precision && precision->is_map())
      megatron::add_arguments(settings_, "mixed_precision", dialect, launch_.arguments);
    checkpoints();
    const std::optional<Value> activation =
        megatron::read_activation(settings_, "model.activation_func");
    config::Value adapters = read_adapters(settings_);
    settings_.review(own_keys(), "Megatron Bridge");
    job::Import import = megatron::translate(launch_, devices(), source_, transformer_);
    import.from = "a recipe of Megatron Bridge";
    megatron::set_activation(activation, import);
    set_adapters(std::move(adapters), import);
    job::add_notes(import, notes_);
    for (const char* path :
         {"train.train_samples", "train.train_iters", "model.moe_flex_dispatcher_backend",
          "model.moe_shared_expert_overlap"})
      import.idle.emplace_back(path);
    job::carry(import, settings_, {.format = "megatron-bridge", .objects = false});
    return import;
  }

 private:
  /// A whole configuration says what it is; overrides stand over what recipes have in common.
  Value document(Value root) {
    const bool has_section =
        root.is_map() && (root.find("model") || root.find("train") || root.find("ddp"));
    if (!has_section)
      throw InputError({source_.file, 1, 1},
                       "no 'model', 'train' or 'ddp' of Megatron Bridge is here");
    if (!root.find("_target_")) {
      Value whole = config::parse(common, std::string(common_name));
      config::merge(whole, root);
      root = std::move(whole);
    }
    job::apply_words(source_, root);
    std::string taken;
    list_common(root, "", taken);
    if (!taken.empty())
      notes_.assumed.push_back(
          "what the recipe in Python says beside this file is what recipes have in common: " +
          taken);
    job::resolve_references(root);
    return root;
  }

  /// Recipes for speed say by their names how many devices they are for.
  job::Devices devices() {
    job::Devices devices = megatron::defined_devices(source_);
    const auto named = devices.all ? std::nullopt : job::named_devices(source_);
    if (named) {
      devices.all = named;
      notes_.assumed.push_back(fmt::format("{} devices, as the recipe's name says", *named));
    }
    return devices;
  }

  void add(const std::string& argument, const std::string& value, const std::string& path) {
    megatron::add_argument(argument, value, path, settings_.where(path), launch_.arguments);
  }

  /// Classes whose defaults are not those of Megatron-Core decide what this file does not say.
  void targets() {
    for (const Target& target : plain_targets) {
      const std::string path = fmt::format("{}._target_", target.section);
      const Value* value = settings_.look(path);
      if (!value || (transformer_ && target.section == "model")) continue;
      const std::string name = value->text.substr(value->text.find_last_of('.') + 1);
      if (name == target.name) continue;
      settings_.find(std::string_view(path));
      settings_.refuse(path, fmt::format("{} cannot be said: {}", name, target.why));
    }
  }

  void precision() {
    const std::string path = "mixed_precision";
    const Value* name = settings_.look(path);
    // A MixedPrecisionConfig with fp8 scales by tensors where it does not say how.
    if (settings_.look(path + ".fp8") && !settings_.look(path + ".fp8_recipe"))
      add("fp8-recipe", "tensorwise", path + ".fp8");
    if (!name || !name->is_scalar()) return;
    settings_.find(std::string_view(path));
    if (!add_precision(name->text, path, name->mark.where(), launch_.arguments))
      settings_.refuse(path, name->text + " cannot be said: it is bf16_mixed or one of its kind");
  }

  /// The precision's word stands over that of ddp. It is that of a name, or true where it is not
  /// said.
  void gradients() {
    const std::string own = "ddp.grad_reduce_in_fp32";
    const Value* precision = settings_.look("mixed_precision");
    const bool is_said = precision && !precision->is_null();
    const std::string path = is_said ? "mixed_precision.grad_reduce_in_fp32" : own;
    settings_.find(std::string_view(own));
    const bool otherwise = is_said && reduces_in_fp32(precision->text);
    const bool is_wide = settings_.truth({path}, otherwise);
    add(is_wide ? "accumulate-allreduce-grads-in-fp32" : "grad-reduce-in-bf16", "", path);
  }

  bool says(const std::string& path) const {
    const Value* value = settings_.look(path);
    return value && !value->is_null();
  }

  /// CommOverlapConfig.setup decides what its section leaves open, over what 'model' and 'ddp' say.
  /// Without the section Megatron-Core's defaults stand.
  void overlap() {
    const Value* section = settings_.look("comm_overlap");
    if (!section || !section->is_map()) {
      if (!settings_.truth({"model.overlap_p2p_comm"}, false))
        add("no-overlap-p2p-communication", "", "model.overlap_p2p_comm");
      return;
    }
    for (const char* key : {"overlap_p2p_comm", "batch_p2p_comm", "tp_comm_overlap",
                            "overlap_moe_expert_parallel_comm", "delay_wgrad_compute"})
      settings_.find(fmt::format("model.{}", key));
    const Value* sequence = settings_.look("model.sequence_parallel");
    if (!sequence || !job::python_truth(*sequence)) settings_.find(tensor_overlap);
    if (settings_.truth({"ddp.use_distributed_optimizer"}, false)) {
      add("use-distributed-optimizer", "", "ddp.use_distributed_optimizer");
      overlap_data();
    }
  }

  void overlap_data() {
    settings_.find("ddp.bucket_size");
    if (!says("comm_overlap.bucket_size"))
      add("ddp-bucket-size", "134217728", "comm_overlap.bucket_size");
    for (const std::string key : {"overlap_grad_reduce", "overlap_param_gather"}) {
      settings_.find("ddp." + key);
      std::string argument = key;
      std::ranges::replace(argument, '_', '-');
      if (!says("comm_overlap." + key)) add(argument, "", "comm_overlap." + key);
    }
  }

  /// What 'dist' says beyond groups of the host.
  void groups() {
    for (const std::string key : {"use_megatron_fsdp", "use_torch_fsdp2", "use_tp_pp_dp_mapping"})
      if (settings_.truth({"dist." + key}, false)) {
        std::string argument = key;
        std::ranges::replace(argument, '_', '-');
        add(argument, "", "dist." + key);
      }
  }

  /// ConfigContainer.validate holds the format of checkpoints against Megatron-FSDP where any are
  /// saved or loaded.
  void checkpoints() {
    const bool shards = settings_.truth({"dist.use_megatron_fsdp"}, false) ||
                        settings_.truth({"ddp.use_megatron_fsdp"}, false);
    const bool has_any = says("checkpoint.save") || says("checkpoint.load");
    const Value* format = settings_.look("checkpoint.ckpt_format");
    const std::string_view said = format ? std::string_view(format->text) : "torch_dist";
    if (shards && has_any && said != megatron::fsdp_checkpoints)
      notes_.assumed.push_back(fmt::format(
          "Megatron Bridge stops with Megatron-FSDP and checkpoint.ckpt_format: {}: it must be {}",
          said, megatron::fsdp_checkpoints));
  }

  /// A flexible dispatcher is DeepEP's where nobody says its library (transformer_config.py), and
  /// sends each copy where none is said (flex_dispatcher_backend.py).
  void experts() {
    const std::string library = "model.moe_flex_dispatcher_backend";
    const Value* type = settings_.look("model.moe_token_dispatcher_type");
    if (type && type->text == "flex" && !settings_.look(library))
      add("moe-flex-dispatcher-backend", "deepep", library);
    if (settings_.truth({"optimizer.use_layer_wise_distributed_optimizer"}, false))
      add("use-distributed-optimizer", "", "optimizer.use_layer_wise_distributed_optimizer");
    // gpt_provider.py fuses the loss where nobody says otherwise.
    const std::string fused = "model.cross_entropy_loss_fusion";
    if (!settings_.look(fused)) add("cross-entropy-loss-fusion", "", fused);
    const std::string predicted = "model.mtp_num_layers";
    const Value* modules = settings_.look(predicted);
    if (modules && modules->is_null()) add("mtp-num-layers", "0", predicted);
  }

  void sizes() {
    if (const Value* groups = settings_.find("model.num_query_groups")) {
      add("group-query-attention", "", "model.num_query_groups");
      add("num-query-groups", groups->text, "model.num_query_groups");
    }
    vocabulary();
    if (settings_.has("model.seq_length")) return;
    for (const std::string path : {"dataset.seq_length", "dataset.sequence_length"})
      if (const Value* length = settings_.find(std::string_view(path)))
        return add("seq-length", length->text, path);
  }

  /// Recipes of pretraining take the tokenizer's size since July 2026. That one is filled up, and
  /// one that the model says is not (training/setup.py, _validate_and_set_vocab_size).
  void vocabulary() {
    settings_.find("model.should_pad_vocab");
    const bool has_tokenizer =
        says("tokenizer.tokenizer_type") || says("tokenizer.tokenizer_model");
    const bool by_tokenizer =
        settings_.truth({"tokenizer.use_tokenizer_vocab_size"}, false) && has_tokenizer;
    const bool is_said = transformer_ || says("model.vocab_size");
    if (is_said && (transformer_ || !by_tokenizer))
      add("no-pad-vocab-size", "", "model.should_pad_vocab");
    if (is_said && !by_tokenizer) {
      if (transformer_) take_size(settings_, *transformer_);
      return;
    }
    settings_.find("model.vocab_size");
    if (transformer_) return take_tokenizer(settings_, *transformer_, notes_);
    if (says("tokenizer.vocab_size"))
      add("vocab-size", settings_.find("tokenizer.vocab_size")->text, "tokenizer.vocab_size");
    for (const char* key : {"type", "model"})
      if (const Value* value = settings_.find(fmt::format("tokenizer.tokenizer_{}", key)))
        add(fmt::format("tokenizer-{}", key), job::written(*value),
            fmt::format("tokenizer.tokenizer_{}", key));
  }

  const job::Source& source_;
  job::Import notes_;
  std::optional<Value> transformer_;
  job::Settings settings_;
  job::Launch launch_;
};

}  // namespace

job::Import import_recipe(const job::Source& source) {
  return import_document(config::parse_as_python(source.text, source.file, nullptr), source, {});
}

job::Import import_document(Value root, const job::Source& source, job::Import notes) {
  return Recipe(std::move(root), source, std::move(notes)).run();
}

}  // namespace pipewright::megatron_bridge
