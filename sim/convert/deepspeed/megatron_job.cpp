// After microsoft/Megatron-DeepSpeed, whose arguments are Megatron-LM's and those of
// fork_arguments.cpp.
#include "convert/deepspeed/megatron_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/deepspeed/along.hpp"
#include "convert/deepspeed/fork_arguments.hpp"
#include "convert/deepspeed/fork_experts.hpp"
#include "convert/deepspeed/training.hpp"
#include "convert/job/given_model.hpp"
#include "convert/job/step_counts.hpp"
#include "convert/megatron/translation.hpp"
#include "interop/words.hpp"

namespace pipewright::deepspeed {
namespace {

using config::Value;

bool has(const std::vector<job::Word>& words, const std::string& name) {
  return std::any_of(words.begin(), words.end(),
                     [&](const job::Word& word) { return fork_name_of(word) == name; });
}

/// The layers are those of Megatron-LM in 2023, local ones unless an argument says otherwise.
void add_layers(std::vector<job::Word>& words, const Where& where, job::Import& import) {
  words.push_back({"--use-legacy-models", where, {}, "the layers of Megatron-DeepSpeed"});
  if (has(words, "transformer_impl")) return;
  words.push_back({"--transformer-impl=local", where, {}, "the layers of Megatron-DeepSpeed"});
  if (!has(words, "use_flash_attn"))
    import.assumed.push_back(
        "nothing asks for --use-flash-attn or --use-flash-attn-v2: attention is unfused, as the "
        "layers of Megatron-DeepSpeed have it");
}

int64_t degree_of(const Value& parallel, const char* key) {
  const Value* value = parallel.find(key);
  if (value && value->is_map()) value = value->find("degree");
  return value ? config::as_int(*value, 1, 1'048'576) : 1;
}

/// DeepSpeed demands that its batch is the program's.
void check_batch(Documents& documents, const Value& batch) {
  const std::pair<const char*, const char*> sizes[] = {{"train_batch_size", "global"},
                                                       {"train_micro_batch_size_per_gpu", "micro"}};
  for (const auto& [theirs, ours] : sizes) {
    const std::optional<int64_t> given = documents.number(theirs, {});
    if (given && std::to_string(*given) != batch.find(ours)->text)
      throw InputError(documents.config().where(theirs),
                       fmt::format("{} is {} here, and the program's arguments say {}", theirs,
                                   *given, batch.find(ours)->text));
  }
  documents.number("gradient_accumulation_steps", {});
}

/// A training ends with the first of its limits: samples or iterations, and tokens.
void end_training(Documents& documents, Value& experiment) {
  const Value* given = documents.argument({"train_tokens"});
  if (!given) return;
  Value tokens = *given;
  std::erase(tokens.text, '_');  // Python's int() takes digits in groups
  const int64_t most = config::as_int(tokens, 1, INT64_C(1'000'000'000'000'000));
  const Value* training = experiment.find("training");
  if (training && std::stod(training->find("tokens")->text) <= static_cast<double>(most)) return;
  experiment.set("training", {}).set("tokens", config::number(most));
}

/// The transformer that --model names. Further files are DeepSpeed's.
std::optional<Value> named_model(const job::Source& source) {
  return job::given_transformer({.text = source.text, .file = source.file, .model = source.model});
}

}  // namespace

bool is_megatron(const Documents& documents) {
  const Value& arguments = documents.inputs().launch.arguments.map;
  return arguments.find("num_layers") && arguments.find("hidden_size");
}

job::Launch with_megatrons_arguments(job::Launch launch, const job::Source& source,
                                     job::Import& notes) {
  if (!has_forks_arguments(launch)) return launch;
  launch = without_forks_arguments(std::move(launch), source, notes);
  add_layers(launch.arguments, launch.where, notes);
  return launch;
}

job::Import import_megatron(Documents& documents, const job::Source& source) {
  const Launched& launched = documents.inputs().launch;
  job::Devices devices;
  if (launched.world.devices > 0) devices.all = launched.world.devices;
  devices.per_node = launched.world.per_node;
  if (const auto given = job::given_devices(source)) devices.all = given;
  job::Import notes;
  job::Launch launch = without_forks_arguments(launched.launch, source, notes);
  add_layers(launch.arguments, launch.where, notes);
  job::Import import = megatron::translate(launch, devices, source, named_model(source));
  job::add_notes(import, notes);
  import.from = "a job of Megatron-DeepSpeed";
  Value& e = import.experiment;
  e.set("framework", config::scalar("deepspeed"));
  check_batch(documents, *e.find("batch"));
  const Value& parallel = *e.find("parallel");
  const Degrees degrees{.tensor = degree_of(parallel, "tensor"),
                        .pipeline = degree_of(parallel, "pipeline"),
                        .context = degree_of(parallel, "context"),
                        .data = degree_of(parallel, "data")};
  end_training(documents, e);
  read_numbers(documents, import, "adam");  // --optimizer of megatron/arguments.py
  read_zero(documents, degrees, import);
  if (documents.truth("activation_checkpointing.partition_activations", false))
    import.slight.push_back(
        "activation_checkpointing.partition_activations: kept inputs are taken to be whole on "
        "every tensor rank");
  if (documents.flag({"cpu_optimizer"}) && !e.find("offload"))
    e.set("offload", config::scalar("optimizer"));
  documents.review_config();
  job::Import& outer = documents.config().import();
  carry_megatron(outer, import.carried);
  import.carried = std::move(outer.carried);
  job::carry_step(import, "deepspeed");
  return import;
}

}  // namespace pipewright::deepspeed
