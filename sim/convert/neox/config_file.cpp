// After NeoXArgs.from_ymls and calculate_derived (megatron/neox_arguments/arguments.py): keys may
// have hyphens, the precision is one of `precision`, `fp16` and `bf16`, and what
// deepspeed_extra_args says is DeepSpeed's too.
#include "convert/neox/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/python_yaml.hpp"
#include "convert/deepspeed/batch.hpp"
#include "convert/deepspeed/keys.hpp"
#include "convert/deepspeed/training.hpp"
#include "convert/job/documents.hpp"
#include "convert/megatron/document.hpp"
#include "convert/megatron/translation.hpp"
#include "convert/neox/arguments.hpp"
#include "convert/neox/keys.hpp"
#include "convert/neox/stages.hpp"

namespace pipewright::neox {
namespace {

using config::scalar;
using config::Value;

constexpr std::string_view names_of_degrees[] = {"pipe_parallel_size", "pipe-parallel-size"};

/// Writes keys with underscores.
void normalize_keys(Value& root, const std::string& file) {
  if (!root.is_map()) throw InputError({file, 1, 1}, "this is no map of settings");
  for (config::Entry& entry : root.entries)
    std::replace(entry.key.begin(), entry.key.end(), '-', '_');
}

/// Writes whole numbers without the underscores that PyYAML takes between their digits.
void normalize_numbers(Value& value) {
  std::string& text = value.text;
  const bool is_number = value.is_scalar() && !value.quoted && !text.empty() && text[0] != '_' &&
                         text.find_first_not_of("0123456789_") == std::string::npos;
  if (is_number) std::erase(text, '_');
  for (Value& item : value.items) normalize_numbers(item);
  for (config::Entry& entry : value.entries) normalize_numbers(entry.value);
}

/// Adds the keys of further files. No two files may say one.
void add_further(const job::Source& source, Value& root) {
  for (const job::Further& further : source.further) {
    if (!further.text)
      throw InputError(
          fmt::format("'{}': further files of GPT-NeoX are configurations", further.word));
    Value more = config::parse_as_python(*further.text, further.word, nullptr);
    normalize_keys(more, further.word);
    for (config::Entry& entry : more.entries) {
      if (root.find(entry.key))
        throw InputError(entry.mark.where(),
                         fmt::format("'{}' is said by another file already", entry.key));
      root.entries.push_back(std::move(entry));
    }
  }
}

/// Returns the whole document, with what deepspeed_extra_args says laid over it.
Value normalized(Value root, const job::Source& source) {
  normalize_keys(root, source.file);
  add_further(source, root);
  normalize_numbers(root);
  const Value* extra = root.find("deepspeed_extra_args");
  if (!extra) return root;
  const Value over = *extra;
  std::erase_if(root.entries,
                [](const config::Entry& entry) { return entry.key == "deepspeed_extra_args"; });
  if (over.is_map()) config::merge(root, over);
  return root;
}

bool is_enabled(const Value& root, std::string_view section) {
  const Value* value = job::value_at(root, std::string(section) + ".enabled");
  return value && job::python_truth(*value);
}

/// Says the precision by the sections of DeepSpeed alone.
void settle_precision(Value& root) {
  const Value* named = root.find("precision");
  const std::string precision = named && !named->is_null() ? named->text : "";
  if (!precision.empty() && precision != "fp16" && precision != "fp32" && precision != "bfloat16")
    named->fail("must be fp16, fp32 or bfloat16");
  const std::pair<const char*, const char*> sections[] = {{"fp16", "fp16"}, {"bf16", "bfloat16"}};
  for (const auto& [section, name] : sections) {
    if (is_enabled(root, section) && !precision.empty() && precision != name)
      root.find(section)->fail(fmt::format("is enabled, and precision is {}", precision));
    if (precision != name || is_enabled(root, section)) continue;
    Value enabled;
    enabled.set("enabled", scalar("true"));
    root.set(section, std::move(enabled));
  }
}

class ConfigFile {
 public:
  explicit ConfigFile(const job::Source& source)
      : source_(source), documents_(inputs(source, notes_), source, notes_) {}

  job::Import run() {
    job::Settings& settings = documents_.config();
    settings.find("precision");
    launch_.where = {source_.file, 1, 1};
    launch_.spelled = [](const std::string& name) { return name; };
    launch_.arguments = model_arguments(settings);
    add_stages(settings, source_, launch_.arguments);
    read_devices();
    batch();
    job::Import import = megatron::translate(launch_, devices_, source_);
    import.from = "a configuration of GPT-NeoX";
    import.experiment.set("framework", scalar("deepspeed"));
    model_beyond(*import.experiment.find("model")->find("transformer"));
    constants(*import.experiment.find("model"));
    numbers(import);
    review();
    job::add_notes(import, notes_);
    return import;
  }

 private:
  static deepspeed::Inputs inputs(const job::Source& source, job::Import& notes) {
    deepspeed::Inputs in;
    in.config = normalized(job::parse_job(source, notes), source);
    settle_precision(in.config);
    in.launch.arguments.map.kind = Value::Kind::map;
    return in;
  }

  void read_devices() {
    job::Settings& settings = documents_.config();
    const int64_t nodes = settings.integer({"num_nodes"}, -1, -1);
    const int64_t each = settings.integer({"num_gpus"}, -1, -1);
    const int64_t all = settings.integer({"global_num_gpus"}, -1, -1);
    if (nodes > 0) devices_.nodes = nodes;
    if (each > 0) devices_.per_node = each;
    if (all > 0) devices_.all = all;
    if (const auto given = job::given_devices(source_)) devices_ = {{}, {}, given};
    const int64_t model = std::max<int64_t>(1, settings.integer({"model_parallel_size"}, 1, 0)) *
                          std::max<int64_t>(1, settings.integer({"pipe_parallel_size"}, 1, 0));
    ranks_of_model_ = model;
    const job::World world = job::world_of(devices_);
    has_devices_ = world.devices > 0;
    replicas_ = std::max<int64_t>(
        1, (world.devices > 0 ? world.devices : (model + 7) / 8 * 8) / std::max<int64_t>(1, model));
  }

  void batch() {
    job::Settings& settings = documents_.config();
    const deepspeed::GivenBatch given{
        .train = documents_.number("train_batch_size", {}),
        .micro = documents_.number("train_micro_batch_size_per_gpu", {}),
        .steps = documents_.number(
            settings.has("gradient_accumulation_steps") ? "gradient_accumulation_steps" : "gas",
            {})};
    settings.find("gas");
    settings.find("batch_size");
    if (!given.train && !given.micro)
      throw InputError(settings.where(""),
                       "train_batch_size or train_micro_batch_size_per_gpu is missing: a job of "
                       "GPT-NeoX may be several files, of which all are given");
    take_replicas(given);
    const deepspeed::Batch batch = deepspeed::complete(given, replicas_);
    if (!deepspeed::agrees(batch, replicas_))
      throw InputError(
          settings.where("train_batch_size"),
          fmt::format("a train_batch_size of {} is not {} sequences x {} steps x {} replicas",
                      batch.train, batch.micro, batch.steps, replicas_));
    const auto add = [&](const char* name, int64_t count, const char* key) {
      megatron::add_argument(name, std::to_string(count), key, settings.where(key),
                             launch_.arguments);
    };
    add("micro-batch-size", batch.micro, "train_micro_batch_size_per_gpu");
    add("global-batch-size", batch.train, "train_batch_size");
  }

  /// Where nobody says how many devices there are, all three numbers of a batch say it.
  void take_replicas(const deepspeed::GivenBatch& given) {
    if (has_devices_ || !given.train || !given.micro || !given.steps) return;
    const int64_t of_one = *given.micro * *given.steps;
    if (of_one < 1 || *given.train % of_one != 0) return;
    replicas_ = *given.train / of_one;
    devices_.all = replicas_ * ranks_of_model_;
  }

  /// Biases are said apart, and attention may stand beside the MLP. That of LLaMA has none
  /// (LLaMAParallelMLP of megatron/model/transformer.py).
  void model_beyond(Value& transformer) {
    job::Settings& settings = documents_.config();
    const bool attention = settings.truth({"use_bias_in_attn_linear"}, true);
    const bool is_llamas = settings.text({"mlp_type"}, "regular") == "llama";
    const bool mlp = settings.truth({"use_bias_in_mlp"}, true) && !is_llamas;
    transformer.set("bias", job::truth(mlp));
    if (attention != mlp)
      transformer.set("attention", {}).set("bias", scalar(attention ? "all" : "none"));
    if (!settings.truth({"gpt_j_residual"}, false)) return;
    transformer.set("parallel_block", job::truth(true));
  }

  void constants(Value& model) {
    constexpr std::pair<const char*, const char*> names[] = {
        {"rotary_emb_base", "rotary_emb_base"},
        {"rotary_pct", "rotary_pct"},
        {"layernorm_epsilon", "layer_norm_eps"},
        {"rms_norm_epsilon", "rms_norm_eps"}};
    Value said;
    for (const auto& [theirs, ours] : names)
      if (const Value* value = documents_.config().find(std::string_view(theirs));
          value && !value->is_null())
        said.set(ours, *value);
    if (!said.is_null()) model.set("constants", std::move(said));
  }

  void numbers(job::Import& import) {
    const Value& parallel = *import.experiment.find("parallel");
    const auto degree = [&](const char* key) {
      return config::as_int(*parallel.find(key), 1, 1'048'576);
    };
    const deepspeed::Degrees degrees{.tensor = degree("tensor"),
                                     .pipeline = degree("pipeline"),
                                     .context = 1,
                                     .data = degree("data")};
    deepspeed::read_numbers(documents_, import, "adam");
    deepspeed::read_zero(documents_, degrees, import);
  }

  void review() {
    std::vector<job::Key> all(keys().begin(), keys().end());
    const auto theirs = deepspeed::config_keys();
    all.insert(all.end(), theirs.begin(), theirs.end());
    documents_.config().review(all, "GPT-NeoX");
  }

  const job::Source& source_;
  job::Import notes_;
  deepspeed::Documents documents_;
  job::Launch launch_;
  job::Devices devices_;
  int64_t replicas_ = 1, ranks_of_model_ = 1;
  bool has_devices_ = false;
};

}  // namespace

bool is_config(std::string_view text) {
  return std::any_of(std::begin(names_of_degrees), std::end(names_of_degrees),
                     [&](std::string_view name) { return text.find(name) != text.npos; });
}

job::Import import_config(const job::Source& source) { return ConfigFile(source).run(); }

}  // namespace pipewright::neox
