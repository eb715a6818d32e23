// After nemo/lightning/pytorch/strategies/megatron_strategy.py, plugins/mixed_precision.py,
// callbacks/megatron_comm_overlap.py and collections/llm/recipes (NeMo 2.0 to 2.5).
#include "convert/nemo/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/required.hpp"
#include "config/python_yaml.hpp"
#include "convert/job/carried.hpp"
#include "convert/job/documents.hpp"
#include "convert/job/given_model.hpp"
#include "convert/job/python_document.hpp"
#include "convert/megatron/activation.hpp"
#include "convert/megatron/class_fields.hpp"
#include "convert/megatron/document.hpp"
#include "convert/megatron/translation.hpp"
#include "convert/nemo/recipe_keys.hpp"
#include "convert/nemo/recipe_model.hpp"
#include "convert/nemo/recipe_parts.hpp"
#include "convert/nemo/trainer.hpp"
#include "convert/nemo/vocabulary.hpp"
#include "interop/words.hpp"

namespace pipewright::nemo {
namespace {

using config::Value;

constexpr std::string_view strategy = "trainer.strategy";

/// Sections that go along with a recipe. Others are of classes that a plan may not have.
constexpr std::string_view along[] = {"data",  "log",     "resume",      "tokenizer",
                                      "optim", "trainer", "model.config"};

/// The class whose sizes are all its fields.
constexpr std::string_view plain_class = "GPTConfig";

/// An argument as a user of NeMo 2 would write it.
std::string spelled_in_recipe(const std::string& argument) {
  constexpr std::array<std::string_view, 3> of_data = {"seq-length", "micro-batch-size",
                                                       "global-batch-size"};
  if (argument == "tokenizer-type") return "model.config.vocab_size";
  std::string key = argument;
  std::replace(key.begin(), key.end(), '-', '_');
  const bool is_size = std::ranges::find(of_data, argument) != of_data.end();
  return fmt::format("{}.{}", is_size ? "data" : strategy, key);
}

Value document(const job::Source& source, Value root, job::Import& notes) {
  job::apply_words(source, root);
  name_parts(root, source, notes);
  job::resolve_references(root);
  return root;
}

class Recipe {
 public:
  Recipe(Value root, const job::Source& source, job::Import notes)
      : source_(source),
        notes_(std::move(notes)),
        settings_(document(source, std::move(root), notes_), source, notes_) {}

  job::Import run() {
    if (!settings_.has("trainer"))
      throw InputError({source_.file, 1, 1},
                       "this is a part of NeMo 2 without the trainer, which a recipe has");
    if (class_at(strategy) != "MegatronStrategy")
      throw InputError(settings_.where(strategy), "trainer.strategy must be a MegatronStrategy");
    launch_.where = {source_.file, 1, 1};
    launch_.spelled = spelled_in_recipe;
    const std::optional<Value> transformer = model();
    class_fields();
    batch();
    precision();
    sharding();
    length();
    callbacks();
    hidden_communication();
    const job::Devices devices = trainer_devices(settings_, source_);
    const megatron::Dialect dialect{{}, recipe_keys()};
    for (const char* section : {"model.config", "optim.config", "trainer.plugins",
                                "trainer.strategy", "trainer.strategy.ddp", "comm_overlap"})
      megatron::add_arguments(settings_, section, dialect, launch_.arguments);
    const std::optional<Value> activation =
        megatron::read_activation(settings_, "model.config.activation_func");
    settings_.review(recipe_keys(), "NeMo 2");
    job::Import import = megatron::translate(launch_, devices, source_, transformer);
    import.from = "a recipe of NeMo 2";
    megatron::set_activation(activation, import);
    job::add_notes(import, notes_);
    import.idle.emplace_back("trainer.max_steps");
    job::carry(import, settings_, {.format = "nemo", .sections = along});
    return import;
  }

 private:
  std::string class_at(std::string_view path) const {
    const Value* value = settings_.look(path);
    return value ? job::class_of(*value) : std::string();
  }

  void add(const std::string& argument, const std::string& path) {
    megatron::add_argument(argument, "", path, settings_.where(path), launch_.arguments);
  }

  /// The model is what the user gives, else what the class is known for; nothing where the fields
  /// of the class say it.
  std::optional<Value> model() {
    if (std::optional<Value> given = job::given_transformer(source_)) return given;
    const std::string name = class_at("model.config");
    if (name == plain_class && settings_.has("model.config.num_layers")) {
      sizes();
      return std::nullopt;
    }
    const std::string_view known = model_of_class(name);
    if (known.empty())
      throw InputError(settings_.where("model"),
                       fmt::format("the sizes of {} are in Python: give the model by --model NAME "
                                   "of the catalogue, or its Hugging Face config.json as a "
                                   "further FILE",
                                   name.empty() ? "the model" : name));
    notes_.assumed.push_back(fmt::format("the sizes of {} are those of '{}'", name, known));
    job::Source named = source_;
    named.model = std::string(known);
    Value transformer =
        required(job::given_transformer(named), "classes are of models that there are");
    take_tokens(settings_, name, transformer, notes_);
    take_sizes(settings_, transformer, notes_);
    return transformer;
  }

  /// Adds what nobody says and the model's class does.
  void class_fields() {
    for (const auto& [field, value] : megatron::class_fields(class_at("model.config"))) {
      const std::string path = fmt::format("model.config.{}", field);
      if (settings_.look(path)) continue;
      std::string argument(field);
      std::ranges::replace(argument, '_', '-');
      megatron::add_argument(argument, value == "true" ? "" : std::string(value), path,
                             settings_.where("model.config"), launch_.arguments);
    }
  }

  /// Fields of a GPTConfig that no argument says alone. The tokens that it says are not padded.
  void sizes() {
    const std::string groups = "model.config.num_query_groups";
    if (const Value* count = settings_.find(groups)) {
      add("group-query-attention", groups);
      megatron::add_argument("num-query-groups", job::written(*count), groups,
                             settings_.where(groups), launch_.arguments);
    }
    if (settings_.truth({"model.config.multi_latent_attention"}, false))
      settings_.refuse("model.config.multi_latent_attention",
                       "GPTConfig cannot be said: it has no fields for latent attention");
    const std::string tokens = "model.config.vocab_size";
    const Value* size = settings_.look(tokens);
    if (!size || size->is_null()) return;
    add("no-pad-vocab-size", tokens);
    const std::string degree = fmt::format("{}.tensor_model_parallel_size", strategy);
    const Value* ranks = settings_.look(degree);
    if (!ranks || ranks->is_null()) return;
    if (config::as_int(*size, 1, INT64_C(1'000'000'000)) % config::as_int(*ranks, 1, 65536) != 0)
      throw InputError(
          settings_.where(tokens),
          fmt::format("{} tokens cannot be cut over {} tensor ranks", size->text, ranks->text));
  }

  void batch() {
    for (const char* key : {"seq_length", "micro_batch_size", "global_batch_size"}) {
      const std::string path = fmt::format("data.{}", key);
      const Value* value = settings_.find(path);
      if (!value || value->is_null()) continue;
      std::string argument = key;
      std::ranges::replace(argument, '_', '-');
      megatron::add_argument(argument, job::written(*value), path, value->mark.where(),
                             launch_.arguments);
    }
  }

  void length() {
    const std::string steps = "trainer.max_steps";
    const int64_t count = settings_.integer({steps}, 0, -1);
    if (count > 0)
      megatron::add_argument("train-iters", std::to_string(count), steps, settings_.where(steps),
                             launch_.arguments);
  }

  void precision() {
    const bool is_map = settings_.look("trainer.plugins.precision") != nullptr;
    const std::string path = is_map ? "trainer.plugins.precision" : "trainer.precision";
    const std::string name = interop::lower_case(settings_.text({path}, "32"));
    if (name.starts_with("bf16"))
      add("bf16", path);
    else if (name.starts_with("16"))
      add("fp16", path);
    else if (!name.starts_with("32"))
      settings_.refuse(path, name + " cannot be said: it is bf16-mixed, 16-mixed or 32");
    // The plugin's word stands over that of ddp, and is true where it is not said.
    settings_.find("trainer.strategy.ddp.grad_reduce_in_fp32");
    const std::string reduced = "trainer.plugins.grad_reduce_in_fp32";
    const bool is_wide = settings_.truth({reduced}, true);
    add(is_wide ? "accumulate-allreduce-grads-in-fp32" : "grad-reduce-in-bf16", reduced);
  }

  /// How replicas are cut says nothing where FSDP is off.
  void sharding() {
    const std::string path = "trainer.strategy.fsdp";
    const std::string kind = settings_.text({path}, "");
    if (kind == "megatron")
      add("use-megatron-fsdp", path);
    else if (kind == "pytorch")
      add("use-torch-fsdp2", path);
    else if (!kind.empty())
      settings_.refuse(path, kind + " cannot be said: it is megatron or pytorch");
    if (kind != "megatron") settings_.find("trainer.strategy.ddp.data_parallel_sharding_strategy");
    const std::string wrapper = "trainer.strategy.ddp";
    const Value* ddp = settings_.look(wrapper);
    if (!ddp || !ddp->is_scalar() || ddp->is_null()) return;
    if (settings_.text({wrapper}, "megatron") != "megatron")
      settings_.refuse(wrapper, "PyTorch's DDP cannot be said: it is not that of Megatron-Core");
  }

  void callbacks() {
    const Value* list = settings_.find("trainer.callbacks");
    if (!list || list->is_null()) return;
    if (!list->is_list()) list->fail("must be a list of callbacks");
    for (const Value& callback : list->items)
      if (const std::string name = job::class_of(callback); !is_idle_callback(name))
        job::refuse(source_, notes_, callback.mark.where(),
                    fmt::format("the callback {} is not known",
                                name.empty() ? job::written(callback) : name));
  }

  /// What MegatronCommOverlapCallback turns on where it is not told otherwise.
  void hidden_communication() {
    const bool is_there = settings_.look("comm_overlap") != nullptr;
    const bool interleaves = is_cut("virtual_pipeline_model_parallel_size");
    const std::string p2p = "comm_overlap.overlap_p2p_comm";
    if (!settings_.truth({p2p}, is_there && interleaves)) add("no-overlap-p2p-communication", p2p);
    if (is_there) replicas();
    const bool can =
        is_cut("tensor_model_parallel_size") && is_true("trainer.strategy.sequence_parallel");
    if (settings_.truth({"comm_overlap.tp_comm_overlap"}, false) && can)
      add("tp-comm-overlap", "comm_overlap.tp_comm_overlap");
  }

  /// The callback's word stands over that of ddp, where the optimizer is cut.
  void replicas() {
    const bool cuts = is_true("optim.config.use_distributed_optimizer");
    for (const std::string key : {"overlap_grad_reduce", "overlap_param_gather"}) {
      const bool hides = settings_.truth({"comm_overlap." + key}, true);
      if (!cuts) continue;
      settings_.find("trainer.strategy.ddp." + key);
      std::string argument = key;
      std::ranges::replace(argument, '_', '-');
      if (hides) add(argument, "comm_overlap." + key);
    }
  }

  /// These look at keys that become arguments by themselves.
  bool is_true(std::string_view path) const {
    const Value* value = settings_.look(path);
    return value && job::python_truth(*value);
  }
  bool is_cut(std::string_view degree) const {
    const Value* value = settings_.look(fmt::format("{}.{}", strategy, degree));
    return value && !value->is_null() && value->text != "1";
  }

  const job::Source& source_;
  job::Import notes_;
  job::Settings settings_;
  job::Launch launch_;
};

}  // namespace

bool is_recipe(const Value& root) {
  const Value* target = root.is_map() ? root.find("_target_") : nullptr;
  return target && target->text.starts_with("nemo.collections.llm");
}

job::Import import_recipe(const job::Source& source) {
  return import_document(config::parse_as_python(source.text, source.file, nullptr), source, {});
}

job::Import import_document(Value root, const job::Source& source, job::Import notes) {
  return Recipe(std::move(root), source, std::move(notes)).run();
}

}  // namespace pipewright::nemo
