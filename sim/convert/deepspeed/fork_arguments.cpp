// After megatron/arguments.py of microsoft/Megatron-DeepSpeed and of
// bigscience-workshop/Megatron-DeepSpeed: what they add to Megatron-LM's arguments.
#include "convert/deepspeed/fork_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "convert/deepspeed/fork_experts.hpp"
#include "convert/deepspeed/fork_stages.hpp"
#include "convert/job/settings.hpp"
#include "convert/megatron/arguments.hpp"
#include "interop/words.hpp"

namespace pipewright::deepspeed {
namespace {

using job::Effect;

constexpr job::Key added[] = {
    {"deepspeed*", Effect::nothing, "the configuration of DeepSpeed says it"},
    {"zero_*", Effect::nothing, "the configuration of DeepSpeed says it"},
    {"no_pipeline_parallel", Effect::nothing, "one stage is no pipeline"},
    {"no_query_key_layer_scaling", Effect::nothing, "losses"},
    {"universal_checkpoint", Effect::nothing, "checkpoints"},
    {"cpu_optimizer", Effect::nothing, "read as offloading"},
    {"cpu_torch_adam", Effect::slight, "the step on the host is taken to be DeepSpeed's"},
    {"ds_fused_adam", Effect::nothing, "Adam is one kernel"},
    {"use_bnb_optimizer", Effect::refused,
     "optimizers of 8 bits are not read: an experiment says `moments: int8`"},
    {"tokenizer_name_or_path", Effect::nothing, "--define VOCAB_SIZE=N says how many tokens"},
    {"kill_switch_path", Effect::nothing, "stops and restarts"},
    {"log_*", Effect::nothing, "logs"},
    {"codecarbon_dir", Effect::nothing, "logs"},
    {"profile_*", Effect::nothing, "profiles"},
    {"abort_on_unmet_fused_kernel_constraints", Effect::nothing, "a check"},
    {"train_weighted_split_paths*", Effect::nothing, "data"},
    {"valid_weighted_split_paths*", Effect::nothing, "data"},
    {"test_weighted_split_paths*", Effect::nothing, "data"},
    {"valid_num_workers", Effect::nothing, "data"},
    {"aml_data_download_path", Effect::nothing, "data"},
    {"train_data_exact_num_epochs", Effect::nothing, "data"},
    {"return_data_index", Effect::nothing, "data"},
    {"train_idx_path", Effect::nothing, "data"},
    {"train_desc_path", Effect::nothing, "data"},
    {"train_doc_idx_path", Effect::nothing, "data"},
    {"train_sample_idx_path", Effect::nothing, "data"},
    {"train_shuffle_idx_path", Effect::nothing, "data"},
    {"repeated_dataloader", Effect::nothing, "data"},
    {"use_dataset_only", Effect::nothing, "data"},
    {"skip_train_iteration_range", Effect::nothing, "iterations that are left out"},
    {"norm_target_loss", Effect::nothing, "losses"},
    {"reset_progress", Effect::nothing, "checkpoints"},
    {"loss_on_targets_only", Effect::nothing, "losses"},
    {"reweight_loss_based_on_position_frequency", Effect::nothing, "losses"},
    {"noise_density", Effect::nothing, "losses"},
    {"mean_noise_span_length", Effect::nothing, "losses"},
    {"rotary_position_embeddings_theta", Effect::nothing, "constants of the model"},
    {"lr_decay_tokens", Effect::nothing, "learning rates"},
    {"lr_warmup_tokens", Effect::nothing, "learning rates"},
    {"load_tag", Effect::nothing, "checkpoints"},
    {"no_load_lr_state", Effect::nothing, "checkpoints"},
    {"reset_iteration", Effect::nothing, "checkpoints"},
    {"embed_layernorm", Effect::slight, "a norm behind the embedding is not simulated"},
    {"sync_tp_duplicated_parameters", Effect::slight, "small collectives of tensor ranks"},
    {"disable_mem_efficient_ln", Effect::slight, "norms are taken to keep their inputs"},
    {"scattered_embeddings", Effect::slight, "activations of the embedding are not scattered"},
    {"partition_activations", Effect::slight, "kept inputs are taken to be whole"},
    {"contigious_checkpointing", Effect::nothing, "how memory is laid out"},
    {"synchronize_each_layer", Effect::slight, "layers are taken to follow each other"},
    {"checkpoint_in_cpu", Effect::refused, "inputs that are kept in the host's memory"},
    {"split_transformers", Effect::refused, "layers that are kept in two parts"},
    {"memory_centric_tiled_linear", Effect::refused, "products in tiles are not modelled"},
    {"tile_factor", Effect::nothing, "of products in tiles"},
    {"remote_device", Effect::refused, "say it in the configuration of DeepSpeed", "none"},
    {"use_pin_memory", Effect::nothing, "of weights in the host's memory"},
    {"eval_only", Effect::refused, "it evaluates and trains nothing", "False|false"},
    {"inference", Effect::refused, "it trains nothing"},
    {"ds_inference", Effect::nothing, "inference"},
    {"enable_zbh1_*", Effect::refused, "say its schedule in the experiment"},
    {"random_ltd", Effect::refused, "tokens that are dropped are not modelled"},
    {"data_efficiency_curriculum_learning", Effect::refused, "sequences that grow"},
    {"force_ds_sequence_parallel", Effect::nothing, "--ds-sequence-parallel-size says it"},
    {"ds_sequence_parallel_fpdt", Effect::refused, "attention in chunks is not modelled"},
    {"ds_sequence_parallel_fpdt_*", Effect::nothing, "of attention in chunks"},
    {"mos", Effect::refused, "a teacher's forward passes are not modelled"},
    {"kd", Effect::refused, "a teacher's forward passes are not modelled"},
    {"kd_*", Effect::nothing, "of a teacher"},
    {"load_teacher", Effect::nothing, "of a teacher"},
    {"num_layers_teacher", Effect::nothing, "of a teacher"},
    {"num_experts_teacher", Effect::nothing, "of a teacher"},
    {"hidden_size_teacher", Effect::nothing, "of a teacher"},
    {"num_attention_heads_teacher", Effect::nothing, "of a teacher"}};

/// An argument that Megatron-LM calls otherwise, and what stands beside it there.
struct Renamed {
  std::string_view ours, theirs, beside;
  bool is_flag = false;  ///< its values say nothing there
};
constexpr Renamed renamed[] = {
    {"use_flash_attn_v1", "--use-flash-attn", ""},
    {"use_flash_attn_v2", "--use-flash-attn", ""},
    {"use_flash_attn_triton", "--use-flash-attn", ""},
    {"use_flash_attn_builder", "--use-flash-attn", ""},
    {"glu_activation", "--gated-linear-unit", "", true},
    {"pad_vocab_size_to", "--padded-vocab-size", ""},
    {"ds_sequence_parallel_size", "--context-parallel-size", "--cp-comm-type=a2a"},
    {"num_key_value_heads", "--num-query-groups", "--group-query-attention"}};

/// An argument with the words behind it.
struct Given {
  job::Word word;
  std::string name;
  std::vector<job::Word> values;
};

std::string joined(const Given& given) {
  std::string text;
  for (const job::Word& value : given.values) text += (text.empty() ? "" : " ") + value.text;
  return text;
}

std::vector<Given> given_of(const std::vector<job::Word>& words) {
  std::vector<Given> all;
  for (const job::Word& word : words) {
    const std::string name = fork_name_of(word);
    if (name.empty() && !all.empty())
      all.back().values.push_back(word);
    else
      all.push_back({word, name, {}});
    const size_t equals = name.empty() ? std::string::npos : word.text.find('=');
    if (equals == std::string::npos) continue;
    job::Word value = word;
    value.text = word.text.substr(equals + 1);
    all.back().word.text = word.text.substr(0, equals);
    all.back().values.push_back(value);
  }
  return all;
}

void note(const Given& given, const job::Key& key, const job::Source& source, job::Import& import) {
  const std::string value = joined(given);
  const std::string text = given.word.text + (value.empty() ? "" : " ") + value;
  const bool is_harmless =
      !value.empty() &&
      ('|' + std::string(key.unless) + '|').find('|' + value + '|') != std::string::npos;
  if (key.effect == Effect::refused && !is_harmless)
    job::refuse(source, import, given.word.where,
                fmt::format("{} cannot be said: {}", text, key.note));
  else if (key.effect == Effect::slight)
    import.slight.push_back(fmt::format("{}: {}", text, key.note));
  else
    import.unused.push_back(text);
}

/// Tells whether DeepSpeed counts the embedding as a layer, on the first stage and, where the head
/// has the same weights, on the last (its PipelineModule._partition_layers).
bool counts_embedding(const Given& given) {
  return given.name == "pp_partition_method" &&
         interop::lower_case(joined(given)) == "type:transformer|embedding";
}

/// Megatron-LM has an argument for each end.
void keep_partition(const Given& given, bool is_tied, std::vector<job::Word>& kept) {
  kept.push_back(
      {"--account-for-embedding-in-pipeline-split", given.word.where, {}, given.word.text});
  if (is_tied)
    kept.push_back({"--account-for-loss-in-pipeline-split", given.word.where, {}, given.word.text});
}

/// Keeps `given` under the name that Megatron-LM has for it.
void keep(Given given, std::vector<job::Word>& kept) {
  for (const Renamed& one : renamed) {
    if (one.ours != given.name) continue;
    given.word.said = given.word.text;
    if (!one.beside.empty())
      kept.push_back({std::string(one.beside), given.word.where, {}, given.word.said});
    given.word.text = std::string(one.theirs);
    if (one.is_flag) given.values.clear();
  }
  kept.push_back(std::move(given.word));
  kept.insert(kept.end(), given.values.begin(), given.values.end());
}

/// Tells whether Megatron-LM has no such argument, and a fork has it under this name.
bool is_of_forks(const std::string& name) {
  std::string dashed = name;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return !megatron::find_argument(dashed) &&
         std::any_of(std::begin(renamed), std::end(renamed),
                     [&](const Renamed& one) { return one.ours == name; });
}

}  // namespace

bool has_forks_arguments(const job::Launch& launch) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(),
                     [](const job::Word& word) { return is_of_forks(fork_name_of(word)); });
}

job::Launch without_forks_arguments(job::Launch launch, const job::Source& source,
                                    job::Import& import) {
  launch.arguments = with_megatrons_experts(std::move(launch.arguments), source, import);
  launch.arguments = with_megatrons_stages(std::move(launch.arguments), source, import);
  std::vector<job::Word> kept;
  std::vector<Given> all = given_of(launch.arguments);
  const bool is_tied = std::none_of(all.begin(), all.end(), [](const Given& given) {
    return given.name == "untie_embeddings_and_output_weights";
  });
  for (Given& given : all) {
    if (given.name == "train_tokens") continue;  // the caller's
    if (counts_embedding(given)) {
      keep_partition(given, is_tied, kept);
      continue;
    }
    const job::Key* key = given.name.empty() ? nullptr : job::find_key(added, given.name);
    if (key)
      note(given, *key, source, import);
    else
      keep(std::move(given), kept);
  }
  launch.arguments = std::move(kept);
  return launch;
}

}  // namespace pipewright::deepspeed
