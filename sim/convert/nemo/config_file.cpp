// After megatron_gpt_model.py (build_transformer_config) and megatron_base_model.py: what NeMo 1
// makes of its configuration for Megatron-Core.
#include "convert/nemo/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/python_yaml.hpp"
#include "convert/job/carried.hpp"
#include "convert/job/given_model.hpp"
#include "convert/megatron/document.hpp"
#include "convert/megatron/translation.hpp"
#include "convert/nemo/composition.hpp"
#include "convert/nemo/config_writer.hpp"
#include "convert/nemo/keys.hpp"
#include "convert/nemo/recipe.hpp"
#include "convert/nemo/trainer.hpp"
#include "interop/words.hpp"

namespace pipewright::nemo {
namespace {

using config::Value;

/// An argument as a user of NeMo would write it.
std::string spelled(const std::string& argument) {
  if (argument == "seq-length") return "model.encoder_seq_length";
  if (argument == "tokenizer-type") return "model.tokenizer";
  std::string key = argument;
  std::replace(key.begin(), key.end(), '-', '_');
  return "model." + key;
}

class ConfigFile {
 public:
  explicit ConfigFile(const job::Source& source)
      : source_(source),
        settings_(compose(source, notes_), source, notes_),
        transformer_(job::given_transformer(source)) {}

  job::Import run() {
    if (settings_.has("_target_") || !settings_.has("trainer") || !settings_.has("model"))
      throw InputError({source_.file, 1, 1},
                       "no 'trainer' and 'model' of NeMo are here; recipes of Megatron Bridge are "
                       "read by 'import megatron-bridge'");
    launch_.where = {source_.file, 1, 1};
    launch_.spelled = spelled;
    const bool restores = settings_.has("model.restore_from_path");
    is_restored_ = restores && transformer_;
    if (restores && !transformer_ && !settings_.has("model.num_layers"))
      throw InputError(settings_.where("model.restore_from_path"),
                       "the sizes of the model are in a checkpoint: give its Hugging Face "
                       "config.json as a further FILE, or --model NAME of the catalogue");
    precision();
    model();
    tokenizer();
    optimizer();
    const job::Devices devices = trainer_devices(settings_, source_);
    const megatron::Dialect dialect{aliases(), own_keys()};
    megatron::add_arguments(settings_, "model", dialect, launch_.arguments);
    megatron::add_arguments(settings_, "model.mcore_customization_config", dialect,
                            launch_.arguments);
    settings_.review(own_keys(), "NeMo");
    job::Import import = megatron::translate(launch_, devices, source_, transformer_);
    import.from = "a configuration of NeMo";
    keep_weights_wide(import.experiment);
    job::add_notes(import, notes_);
    import.idle.emplace_back("trainer.max_steps");
    job::carry(import, settings_, {.format = config_format});
    return import;
  }

 private:
  void add(const std::string& argument, const std::string& value, const std::string& path) {
    megatron::add_argument(argument, value, path, settings_.where(path), launch_.arguments);
  }

  /// Names of Lightning's precisions.
  void precision() {
    const std::string path = "trainer.precision";
    const std::string name = interop::lower_case(settings_.text({path}, "32"));
    if (name.starts_with("bf16"))
      add("bf16", "", path);
    else if (name.starts_with("16") || name.starts_with("fp16"))
      add("fp16", "", path);
    else if (!name.starts_with("32"))
      settings_.refuse(path, name + " cannot be said: it is bf16, 16 or 32");
    const bool is_narrow = settings_.truth({"model.megatron_amp_O2"}, false);
    if (!is_narrow && !name.starts_with("32"))
      autocast_ = name.starts_with("bf16") ? "bf16" : "fp16";
    const int64_t steps = settings_.integer({"trainer.max_steps"}, 0, -1);
    if (steps > 0) add("train-iters", std::to_string(steps), "trainer.max_steps");
  }

  /// Without megatron_amp_O2, weights are in fp32 and products under torch.autocast
  /// (megatron_base_model.py: enable_autocast, params_dtype).
  void keep_weights_wide(Value& experiment) {
    if (autocast_.empty()) return;
    if (experiment.find("precision")->text != autocast_) {
      settings_.refuse("model.fp8", "beside weights that stay in fp32 cannot be said");
      return;
    }
    experiment.set("precision", {}).set("autocast", config::scalar(autocast_));
    experiment.set("gradients", config::scalar("fp32"));
  }

  void model() {
    const std::string activation = settings_.text({"model.activation"}, "gelu");
    if (activation.ends_with("glu")) add("gated-linear-unit", "", "model.activation");
    normalization();
    if (const Value* groups = settings_.find("model.num_query_groups")) {
      add("group-query-attention", "", "model.num_query_groups");
      add("num-query-groups", groups->text, "model.num_query_groups");
    }
    if (settings_.truth({"model.fp8"}, false))
      add("fp8-format", settings_.truth({"model.fp8_e4m3"}, false) ? "e4m3" : "hybrid",
          "model.fp8");
    if (settings_.truth({"model.fp8_params"}, false))
      add("fp8-param-gather", "", "model.fp8_params");
    if (!settings_.has("model.overlap_p2p_comm"))
      add("no-overlap-p2p-communication", "", "model.overlap_p2p_comm");
    if (settings_.truth({"model.fsdp"}, false)) add("use-torch-fsdp2", "", "model.fsdp");
    attention();
    if (says("model.activations_checkpoint_granularity", "selective") &&
        says("model.activations_checkpoint_method", "block"))
      settings_.refuse("model.activations_checkpoint_method",
                       "block cannot be said beside selective: some layers only are run again");
  }

  /// A checkpoint says it where its model is given.
  void normalization() {
    if (!settings_.has("model.normalization") && is_restored_) return;
    const std::string norm =
        interop::lower_case(settings_.text({"model.normalization"}, "layernorm"));
    const bool is_layernorm = norm == "layernorm" || norm == "layernorm1p";
    add("normalization",
        norm == "rmsnorm" ? "RMSNorm"
        : is_layernorm    ? "LayerNorm"
                          : norm,
        "model.normalization");
    if (norm == "layernorm1p") add("apply-layernorm-1p", "", "model.normalization");
  }

  bool says(std::string_view path, std::string_view text) const {
    const Value* value = settings_.look(path);
    return value && value->text == text;
  }

  void attention() {
    if (is_restored_ && !settings_.has("model.mcore_gpt")) {
      notes_.assumed.emplace_back(
          "the checkpoint is of Megatron Core, whose attention is fused: model.mcore_gpt: false "
          "says "
          "that it is not");
      return;
    }
    const bool core = settings_.truth({"model.mcore_gpt"}, false);
    const bool engine = settings_.truth({"model.transformer_engine"}, false);
    const bool flash = settings_.truth({"model.use_flash_attention"}, false);
    if (!core && !engine && !flash)
      add("attention-backend", "unfused", "model.use_flash_attention");
  }

  /// The size of a vocabulary is the tokenizer's, padded.
  void tokenizer() {
    const std::string at = "model.tokenizer.";
    const std::string library = settings_.text({at + "library"}, "");
    const std::string type = settings_.text({at + "type"}, "");
    if (const Value* size = settings_.find("model.override_vocab_size")) {
      add("vocab-size", size->text, "model.override_vocab_size");
      return;
    }
    if (library == "megatron" && !type.empty()) {
      add("tokenizer-type", type, at + "type");
    } else if (library == "huggingface" && !type.empty()) {
      add("tokenizer-type", "HuggingFaceTokenizer", at + "library");
      add("tokenizer-model", type, at + "type");
    } else if (!library.empty()) {
      add("tokenizer-type", library, at + "library");
    }
  }

  void optimizer() {
    const std::string at = "model.optim.";
    const std::string name = settings_.text({at + "name"}, "fused_adam");
    const bool cuts = name == "distributed_fused_adam" || name == "mcore_distributed_optim";
    if (cuts) add("use-distributed-optimizer", "", at + "name");
    if (!cuts && name != "fused_adam" && name != "adam" && name != "adamw" &&
        name != "megatron_fused_adam")
      settings_.refuse(at + "name", name + " cannot be said: it is a form of Adam");
    if (settings_.truth({at + "overlap_grad_sync"}, false))
      add("overlap-grad-reduce", "", at + "overlap_grad_sync");
    if (settings_.truth({at + "overlap_param_sync"}, false))
      add("overlap-param-gather", "", at + "overlap_param_sync");
    if (settings_.text({at + "grad_sync_dtype"}, "fp32") == "bf16")
      add("grad-reduce-in-bf16", "", at + "grad_sync_dtype");
  }

  const job::Source& source_;
  job::Import notes_;
  job::Settings settings_;
  job::Launch launch_;
  std::optional<config::Value> transformer_;  ///< that the user gives
  bool is_restored_ = false;                  ///< and that lies in a checkpoint
  std::string autocast_;                      ///< the format of products where weights are in fp32
};

}  // namespace

job::Import import_config(const job::Source& source) {
  if (is_recipe(config::parse_as_python(source.text, source.file, nullptr)))
    return import_recipe(source);
  return ConfigFile(source).run();
}

}  // namespace pipewright::nemo
