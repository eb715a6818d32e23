// The inverse of config_function.cpp, out of the keys of a job file (writer.cpp).
#include "convert/torchtitan/function_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "convert/job/carried.hpp"
#include "convert/job/settings.hpp"
#include "convert/torchtitan/writer.hpp"
#include "interop/words.hpp"
#include "workload/model/model.hpp"

namespace pipewright::torchtitan {
namespace {

using config::Value;

/// A section of a job file, and the class that it is. `keys` has those of August 2026.
struct Class {
  std::string_view section, field, module, name, keys;
};
constexpr Class classes[] = {
    {"metrics", "metrics", "torchtitan.components.metrics", "MetricsProcessor.Config",
     "log_freq enable_tensorboard disable_color_printing save_tb_folder save_for_all_ranks "
     "enable_wandb"},
    {"profiling", "profiler", "torchtitan.tools.profiler", "Profiler.Config",
     "enable_profiling save_traces_folder profile_freq profiler_active profiler_warmup "
     "enable_memory_snapshot save_memory_snapshot_folder"},
    {"lr_scheduler", "lr_scheduler", "torchtitan.components.optimizer",
     "LRSchedulersContainer.Config",
     "warmup_steps total_steps decay_ratio decay_type min_lr_factor"},
    {"checkpoint", "checkpoint", "torchtitan.components.checkpointer", "CheckpointManager.Config",
     "enable folder interval initial_load_path initial_load_model_only initial_load_in_hf "
     "last_save_model_only last_save_in_hf export_dtype async_mode keep_latest_k load_step "
     "exclude_from_loading create_seed_checkpoint load_only"},
    {"validation", "validator", "torchtitan.components.validate", "Validator.Config",
     "enable freq steps"},
    {"comm", "comm", "torchtitan.config.configs", "CommConfig",
     "init_timeout_seconds train_timeout_seconds trace_buf_size save_traces_folder "
     "save_traces_file_prefix mode"},
    {"debug", "debug", "torchtitan.config.configs", "DebugConfig",
     "seed deterministic deterministic_warn_only moe_force_load_balance"},
    {"parallelism", "parallelism", "torchtitan.config", "ParallelismConfig",
     "data_parallel_replicate_degree data_parallel_shard_degree fsdp_reshard_after_forward "
     "tensor_parallel_degree pipeline_parallel_degree pipeline_parallel_schedule "
     "pipeline_parallel_schedule_csv pipeline_parallel_layers_per_stage "
     "module_fqns_per_model_part context_parallel_degree expert_parallel_degree "
     "num_pp_microbatches enable_sequence_parallel"},
    {"compile", "compile", "torchtitan.config", "CompileConfig",
     "enable components backend enable_async_tensor_parallel"},
    {"training", "training", "torchtitan.config", "TrainingConfig",
     "num_tokens_per_microbatch_per_dp_rank num_tokens_per_train_step max_context_length steps "
     "max_norm dtype mixed_precision_param disable_cuda_graphs gc_freq gc_debug"}};

/// Keys that functions say elsewhere than in the section of their name.
constexpr std::string_view elsewhere[] = {"optimizer.lr",           "optimizer.eps",
                                          "optimizer.weight_decay", "model.hf_assets_path",
                                          "job.dump_folder",        "training.dataset"};

/// Models that torchtitan has still.
constexpr std::string_view models[] = {"llama3", "qwen3", "deepseek_v3", "gpt_oss"};

bool has_word(std::string_view words, std::string_view word) {
  const auto all = interop::words_of(words);
  return std::ranges::find(all, word) != all.end();
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

std::string literal(const Value& value) {
  if (value.is_null()) return "None";
  if (value.is_scalar()) {
    if (!value.quoted && value.text == "true") return "True";
    if (!value.quoted && value.text == "false") return "False";
    const bool is_plain =
        value.text.starts_with('[') || interop::number_of<double>(value.text).has_value();
    return value.quoted || !is_plain ? quoted(value.text) : value.text;
  }
  std::string text;
  for (const Value& item : value.items) text += (text.empty() ? "" : ", ") + literal(item);
  return '[' + text + ']';
}

class FunctionWriter {
 public:
  FunctionWriter(const Experiment& experiment, Value document)
      : experiment_(experiment), document_(std::move(document)) {}

  std::string run() {
    std::string fields;
    model();
    batch();
    stages();
    compile();
    for (const Class& one : classes) fields += section(one);
    fields += recomputation();
    return fmt::format(
        "# for torchtitan of August 2026: MODULE=<this file> CONFIG=job ./run_train.sh\n{}\n\n"
        "def job() -> Trainer.Config:\n    model_spec = model_registry({})\n    return "
        "Trainer.Config(\n        model_spec=model_spec,\n        hf_assets_path={},\n        "
        "dump_folder={},\n        loss=CrossEntropyLoss.Config(\n            "
        "global_vocab_size=decoder_vocab_size(model_spec)),\n        dataloader="
        "GrainDataLoader.Config(\n            dataset=ConcatThenSplitPackingConfig(dataset="
        "DATASETS[{}])),\n        optimizer={},\n{}    )\n",
        imports(), registry_, word("model.hf_assets_path", "./tests/assets/tokenizer"),
        word("job.dump_folder", "./outputs"), word("training.dataset", "c4_test"), optimizer(),
        fields);
  }

 private:
  const Value* at(std::string_view path) const { return job::value_at(document_, path); }
  int64_t number(std::string_view path, int64_t otherwise) const {
    const Value* value = at(path);
    return value ? config::as_int(*value, INT64_MIN, INT64_MAX) : otherwise;
  }
  std::string word(std::string_view path, const char* otherwise) const {
    const Value* value = at(path);
    return quoted(value ? value->text : otherwise);
  }
  void set(std::string_view path, const Value& value) { job::set_at(document_, path, value); }

  void add_import(std::string_view module, std::string_view name) {
    const std::string line =
        fmt::format("from {} import {}", module, name.substr(0, name.find('.')));
    if (std::ranges::find(imports_, line) == imports_.end()) imports_.push_back(line);
  }
  std::string imports() {
    for (const auto& [module, name] :
         {std::pair("torchtitan.components.data", "ConcatThenSplitPackingConfig, GrainDataLoader"),
          {"torchtitan.components.loss", "CrossEntropyLoss"},
          {"torchtitan.components.optimizer", "default_adamw"},
          {"torchtitan.hf_datasets.text_datasets", "DATASETS"},
          {"torchtitan.models.common.config_utils", "decoder_vocab_size"},
          {"torchtitan.trainer", "Trainer"}})
      add_import(module, name);
    std::ranges::sort(imports_);
    std::string text;
    for (const std::string& line : imports_) text += line + '\n';
    return text;
  }

  void model() {
    const std::string name = at("model.name")->text;
    if (std::ranges::find(models, name) == std::end(models))
      experiment_.misfit("model", fmt::format("torchtitan has {} in its job files (TOML) only, and "
                                              "no function for it",
                                              name));
    add_import(fmt::format("torchtitan.models.{}", name), "model_registry");
    registry_ = quoted(at("model.flavor")->text);
    const Value* backend = at("parallelism.expert_parallel_comm_backend");
    if (backend) registry_ += fmt::format(", moe_comm_backend={}", literal(*backend));
    if (experiment_.precision != DType::fp8) return;
    if (experiment_.scaling != Scaling::mxfp8)
      experiment_.misfit("precision",
                         "torchtitan scales fp8 by rows in its functions, which is not simulated, "
                         "and by tensors in its job files (TOML) only");
    add_import("torchtitan.components.quantization", "MXFP8LinearConverter");
    registry_ += ", converters=[MXFP8LinearConverter.Config(fqns=[\"layers\"])]";
  }

  /// A batch is its tokens.
  void batch() {
    const int64_t sequence = number("training.seq_len", 2048);
    const int64_t local = number("training.local_batch_size", 1);
    const bool is_pipeline = number("parallelism.pipeline_parallel_degree", 1) > 1;
    const int64_t micro =
        is_pipeline ? number("parallelism.pipeline_parallel_microbatch_size", 1) : local;
    set("training.max_context_length", config::number(sequence));
    set("training.num_tokens_per_microbatch_per_dp_rank", config::number(micro * sequence));
    if (is_pipeline)
      set("parallelism.num_pp_microbatches", config::number(std::max<int64_t>(local / micro, 1)));
    else
      set("training.num_tokens_per_train_step",
          config::number(number("training.global_batch_size", local) * sequence));
    const bool splits = experiment_.parallel.sequence || experiment_.parallel.tensor == 1;
    if (!splits) set("parallelism.enable_sequence_parallel", job::truth(false));
    // What goes out sends by all-to-all or DeepEP, which wait for the host.
    const bool waits = number("parallelism.expert_parallel_degree", 1) > 1;
    const bool is_graph = experiment_.launches.kind == Launches::graph && !is_pipeline && !waits;
    set("training.disable_cuda_graphs", job::truth(!is_graph));
  }

  /// The head's name in functions is lm_head.
  void stages() {
    const char* const path = "parallelism.module_fqns_per_model_part";
    const Value* parts = at(path);
    if (!parts || !parts->is_scalar()) return;
    Value renamed = *parts;
    constexpr std::string_view before = "\"output\"", now = "\"lm_head\"";
    if (const size_t found = renamed.text.find(before); found != std::string::npos)
      renamed.text.replace(found, before.size(), now);
    set(path, renamed);
  }

  void compile() {
    if (const Value* async = at("parallelism.enable_async_tensor_parallel")) {
      const Value said = *async;
      set("compile.enable_async_tensor_parallel", said);
    }
  }

  std::string section(const Class& one) {
    const Value* map = at(one.section);
    if (!map || !map->is_map()) return {};
    std::string text;
    for (const config::Entry& entry : map->entries)
      if (has_word(one.keys, entry.key))
        text += fmt::format("            {}={},\n", entry.key, literal(entry.value));
    if (text.empty()) return {};
    add_import(one.module, one.name);
    return fmt::format("        {}={}(\n{}        ),\n", one.field, one.name, text);
  }

  std::string recomputation() {
    const std::string mode = at("activation_checkpoint.mode")->text;
    const Value* option = at("activation_checkpoint.selective_ac_option");
    if (mode == "selective" && option && option->text != "op")
      experiment_.misfit("recompute",
                         "torchtitan runs whole layers again one by one in its job files (TOML) "
                         "only: its functions have all of them, or products");
    const std::string_view name = mode == "full" ? "FullAC" : mode == "none" ? "" : "SelectiveAC";
    if (name.empty()) return "        activation_checkpoint=None,\n";
    add_import("torchtitan.distributed.activation_checkpoint", name);
    return fmt::format("        activation_checkpoint={}.Config(),\n", name);
  }

  /// Adam with decoupled weight decay is what all of its configurations have.
  std::string optimizer() const {
    std::string arguments;
    for (const char* key : {"lr", "eps", "weight_decay"})
      if (const Value* value = at(fmt::format("optimizer.{}", key)))
        arguments += fmt::format("{}{}={}", arguments.empty() ? "" : ", ", key, literal(*value));
    return fmt::format("default_adamw({})", arguments);
  }

  const Experiment& experiment_;
  Value document_;
  std::string registry_;
  std::vector<std::string> imports_;
};

}  // namespace

std::string write_function(const Experiment& experiment, const StagePlacement* placement,
                           const Value& along) {
  return FunctionWriter(experiment, job_document(experiment, placement, along)).run();
}

Value along_of_function(const Value& along, const Experiment&) {
  Value rest;
  for (const std::string& path : job::paths_of(along)) {
    const size_t dot = std::min(path.find('.'), path.size());
    const auto* found =
        std::ranges::find(classes, std::string_view(path).substr(0, dot), &Class::section);
    const bool is_key = found != std::end(classes) && dot < path.size() &&
                        has_word(found->keys, std::string_view(path).substr(dot + 1));
    const bool is_elsewhere = std::ranges::find(elsewhere, path) != std::end(elsewhere);
    const bool is_step = path.starts_with("step.");
    if (is_key || is_elsewhere || is_step) job::set_at(rest, path, *job::value_at(along, path));
  }
  return rest;
}

}  // namespace pipewright::torchtitan
