// After torchtitan/config/job_config.py of v0.2.2, and what its forerunners called otherwise.
#include "convert/torchtitan/along.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "convert/job/carried.hpp"
#include "convert/job/step_counts.hpp"
#include "interop/words.hpp"

namespace pipewright::torchtitan {
namespace {

using config::Value;

struct Section {
  std::string_view name, keys;  ///< a space between two
};
constexpr Section sections[] = {
    {"job", "dump_folder description print_config save_config_file custom_config_module"},
    {"profiling",
     "enable_profiling save_traces_folder profile_freq profiler_active profiler_warmup "
     "enable_memory_snapshot save_memory_snapshot_folder"},
    {"metrics",
     "log_freq enable_tensorboard disable_color_printing save_tb_folder save_for_all_ranks "
     "enable_wandb"},
    {"model", "hf_assets_path tokenizer_path print_after_conversion"},
    {"optimizer", "lr beta1 beta2 eps weight_decay implementation"},
    {"lr_scheduler", "warmup_steps total_steps decay_ratio decay_type min_lr_factor"},
    {"training", "dataset dataset_path max_norm gc_freq gc_debug"},
    {"training.dataloader", "num_workers persistent_workers pin_memory prefetch_factor"},
    {"parallelism", "enable_async_tensor_parallel"},
    {"checkpoint",
     "enable enable_ft_dataloader_checkpoints folder interval initial_load_path "
     "initial_load_model_only initial_load_in_hf initial_load_in_hf_quantized "
     "last_save_model_only last_save_in_hf export_dtype async_mode keep_latest_k load_step "
     "exclude_from_loading enable_first_step_checkpoint create_seed_checkpoint load_only"},
    {"activation_checkpoint",
     "per_op_sac_force_recompute_mm_shapes_by_fqns early_stop preserve_rng_state "
     "determinism_check debug"},
    {"compile", "enable components backend"},
    {"quantize.linear.float8", "precompute_float8_dynamic_scale_for_fsdp filter_fqns emulate"},
    {"quantize.linear.mx", "mxfp8_dim1_cast_kernel_choice recipe_name filter_fqns"},
    {"comm",
     "init_timeout_seconds train_timeout_seconds trace_buf_size save_traces_folder "
     "save_traces_file_prefix mode"},
    {"memory_estimation", "enable disable_fake_mode"},
    {"validation", "enable dataset dataset_path local_batch_size seq_len freq steps"},
    {"validation.dataloader", "num_workers persistent_workers pin_memory prefetch_factor"},
    {"debug", "seed deterministic deterministic_warn_only moe_force_load_balance"}};

/// What earlier releases called otherwise.
struct Renamed {
  std::string_view before, now;
};
constexpr Renamed renamed[] = {
    {"float8.filter_fqns", "quantize.linear.float8.filter_fqns"},
    {"float8.emulate", "quantize.linear.float8.emulate"},
    {"float8.precompute_float8_dynamic_scale_for_fsdp",
     "quantize.linear.float8.precompute_float8_dynamic_scale_for_fsdp"},
    {"mx.filter_fqns", "quantize.linear.mx.filter_fqns"},
    {"mx.recipe_name", "quantize.linear.mx.recipe_name"},
    {"training.warmup_steps", "lr_scheduler.warmup_steps"},
    {"training.seed", "debug.seed"},
    {"training.deterministic", "debug.deterministic"},
    {"training.debug_moe_force_load_balance", "debug.moe_force_load_balance"},
    {"checkpoint.enable_checkpoint", "checkpoint.enable"},
    {"checkpoint.last_save_in_safetensors_format", "checkpoint.last_save_in_hf"},
    {"checkpoint.initial_load_in_safetensors_format", "checkpoint.initial_load_in_hf"},
    {"checkpoint.last_save_model_weights_only", "checkpoint.last_save_model_only"},
    {"checkpoint.initial_load_model_weights_only", "checkpoint.initial_load_model_only"},
    {"job.print_args", "job.print_config"},
    {"experimental.enable_async_tensor_parallel", "parallelism.enable_async_tensor_parallel"},
    {"lr_scheduler.lr_min", "lr_scheduler.min_lr_factor"}};

/// Keys that an import asks for and that go along all the same.
constexpr std::string_view asked[] = {"compile.enable",     "compile.components",
                                      "float8.filter_fqns", "quantize.linear.float8.filter_fqns",
                                      "mx.filter_fqns",     "quantize.linear.mx.filter_fqns"};

bool is_known(std::string_view path) {
  const size_t dot = path.find_last_of('.');
  if (dot == std::string_view::npos) return false;
  return std::ranges::any_of(sections, [&](const Section& section) {
    const std::vector<std::string_view> keys = interop::words_of(section.keys);
    return section.name == path.substr(0, dot) &&
           std::ranges::find(keys, path.substr(dot + 1)) != keys.end();
  });
}

std::string_view name_of_today(std::string_view path) {
  const auto* found = std::ranges::find(renamed, path, &Renamed::before);
  return found == std::end(renamed) ? path : found->now;
}

}  // namespace

void carry_along(job::Import& import, const job::Settings& settings) {
  for (const std::string_view path : asked) import.idle.emplace_back(path);
  Value along, left;
  left.kind = Value::Kind::list;
  for (const std::string& path : import.idle) {
    const Value* value = settings.look(path);
    if (!value || value->is_null()) continue;
    const std::string_view today = name_of_today(path);
    if (is_known(today))
      job::set_at(along, today, *value);
    else
      left.items.push_back(config::scalar(fmt::format("{}: {}", path, job::written(*value))));
  }
  if (!left.items.empty()) along.set(job::left, std::move(left));
  if (!along.is_null()) import.carried.set("torchtitan", std::move(along));
  job::carry_step(import, "torchtitan");
}

std::span<const std::string_view> step_counts() {
  static constexpr std::string_view paths[] = {"lr_scheduler.warmup_steps",
                                               "lr_scheduler.total_steps"};
  return paths;
}

}  // namespace pipewright::torchtitan
