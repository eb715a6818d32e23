// The sections of a function are those of the job files before it; what has another name or another
// form is brought back to theirs (torchtitan/trainer.py and config/configs.py, February to August
// 2026).
#include "convert/torchtitan/function_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "convert/job/carried.hpp"
#include "convert/job/python_document.hpp"
#include "convert/torchtitan/config_function.hpp"

namespace pipewright::torchtitan {
namespace {

using config::Value;

/// "llama3" of "torchtitan.models.llama3.config_registry" or of "llama3".
std::string model_of_module(std::string module) {
  constexpr std::string_view file = ".config_registry";
  if (module.ends_with(file)) module.resize(module.size() - file.size());
  return std::string(interop::python::last_name(module));
}

class Translation {
 public:
  Translation(const Value& function, const job::Source& source, job::Import& import)
      : function_(function), source_(source), import_(import) {}

  Value run() {
    for (const config::Entry& entry : function_.entries)
      if (entry.key != "_target_") out_.set(section_of(entry.key), entry.value).mark = entry.mark;
    model();
    batch();
    recomputation();
    optimizer();
    compilation();
    classes();
    names();
    return std::move(out_);
  }

 private:
  /// Sections that have another name in job files.
  static std::string section_of(const std::string& section) {
    if (section == "profiler") return "profiling";
    if (section == "validator") return "validation";
    return section;
  }

  const Value* at(std::string_view path) const { return job::value_at(out_, path); }
  Value* section(std::string_view name) {
    Value* found = out_.find(name);
    return found && found->is_map() ? found : nullptr;
  }
  void set(std::string_view path, Value value) { job::set_at(out_, path, value); }
  void erase(std::string_view section_name, std::string_view key) {
    if (Value* map = section(section_name))
      std::erase_if(map->entries, [&](const config::Entry& entry) { return entry.key == key; });
  }
  /// Takes a value out of a section.
  std::optional<Value> taken(std::string_view section_name, std::string_view key) {
    const Value* map = section(section_name);
    const Value* found = map ? map->find(key) : nullptr;
    if (!found) return std::nullopt;
    Value value = *found;
    erase(section_name, key);
    return value;
  }
  static Value text(std::string_view words, const config::Mark& mark) {
    Value value = config::scalar(words, mark);
    value.quoted = true;
    return value;
  }

  void model() {
    const Value spec = out_.find("model_spec") ? *out_.find("model_spec") : Value{};
    std::erase_if(out_.entries,
                  [](const config::Entry& entry) { return entry.key == "model_spec"; });
    if (job::class_of(spec) != "model_registry")
      throw InputError(spec.is_null() ? function_.mark.where() : spec.mark.where(),
                       "model_spec is what model_registry(FLAVOR) gives: other models are in "
                       "Python, and are given by --model NAME or a Hugging Face config.json");
    set("model.name", text(model_name(spec), spec.mark));
    for (const config::Entry& entry : spec.entries) {
      if (entry.key == "_target_") continue;
      if (entry.key == "_args_") {
        positional(entry.value);
      } else if (entry.key == "converters") {
        converters(entry.value, true);
      } else if (entry.key == "moe_comm_backend") {
        if (!entry.value.is_null()) set("parallelism.expert_parallel_comm_backend", entry.value);
      } else {
        set("model." + entry.key, entry.value);
      }
    }
    if (const Value* list = at("model_converters.converters")) {
      const Value all = *list;
      converters(all, false);
    }
    std::erase_if(out_.entries,
                  [](const config::Entry& entry) { return entry.key == "model_converters"; });
  }

  void positional(const Value& arguments) {
    const char* names[] = {"model.flavor", "model.attn_backend"};
    for (size_t i = 0; i < arguments.items.size(); ++i) {
      if (i >= std::size(names))
        arguments.items[i].fail("model_registry is known with a flavor and a backend of attention");
      set(names[i], arguments.items[i]);
    }
  }

  /// The model is the folder in which the registry lies.
  std::string model_name(const Value& spec) const {
    if (const auto given = source_.given.find(std::string(module_of_function));
        given != source_.given.end())
      return model_of_module(given->second);
    const std::string& name = spec.find("_target_")->text;
    const size_t dot = name.find_last_of('.');
    if (dot == std::string::npos)
      spec.fail("whose model_registry this is, the file does not say: --define MODULE=NAME");
    return model_of_module(name.substr(0, dot));
  }

  struct Converter {
    std::string_view name, key;
  };
  static constexpr Converter known_converters[] = {
      {"Float8LinearConverter", "quantize.linear.float8"},
      {"MXFP8LinearConverter", "quantize.linear.mx"},
      {"MXLinearConverter", "quantize.linear.mx"},
      {"MXConverter", "quantize.linear.mx"}};

  /// `on_config`: since April 2026, when the recipe of fp8 became that of rows.
  void converters(const Value& list, bool on_config) {
    if (list.is_null()) return;
    if (!list.is_list()) list.fail("must be a list of converters");
    Value names;
    names.kind = Value::Kind::list;
    for (const Value& one : list.items) {
      const std::string two = job::class_of(one, 2), name = two.substr(0, two.find('.'));
      const auto* found = std::ranges::find(known_converters, name, &Converter::name);
      if (found == std::end(known_converters)) {
        job::refuse(source_, import_, one.mark.where(),
                    name.empty() ? std::string("this is no converter that is known here")
                                 : fmt::format("the converter {} cannot be said", name));
        continue;
      }
      names.items.push_back(text(found->key, one.mark));
      converter(one, std::string(found->key), on_config);
    }
    set("model.converters", std::move(names));
  }

  void converter(const Value& one, const std::string& key, bool on_config) {
    for (const config::Entry& entry : one.entries)
      if (entry.key != "_target_") set(key + '.' + entry.key, entry.value);
    if (key == "quantize.linear.float8" && on_config && !one.find("recipe_name"))
      set(key + ".recipe_name", text("rowwise", one.mark));
  }

  /// Since August 2026 a batch is its tokens: those of a micro-batch, and those of a step.
  void batch() {
    constexpr int64_t most = INT64_C(1'000'000'000'000);
    const auto tokens = taken("training", "num_tokens_per_microbatch_per_dp_rank");
    const auto step = taken("training", "num_tokens_per_train_step");
    const auto length = taken("training", "max_context_length");
    const auto count = taken("parallelism", "num_pp_microbatches");
    if (!tokens && !step && !length && !count) return;
    job::check_known(length.value_or(Value{}));
    const int64_t longest = length ? config::as_int(*length, 1, most) : 2048;
    const config::Mark whose = length ? length->mark : function_.mark;
    const Value micro = tokens ? *tokens : config::number(16384, whose);
    // A micro-batch of fewer tokens is one sequence of so many.
    const int64_t sequence = std::min(longest, tokens_in(micro));
    set("training.seq_len", config::number(sequence, whose));
    const int64_t each = sequences(micro, sequence);
    const int64_t batches = count ? config::as_int(*count, 1, 1'000'000) : 1;
    const Value* degree = at("parallelism.pipeline_parallel_degree");
    const bool is_pipeline = degree && !degree->is_null() && degree->text != "1";
    const config::Mark mark = tokens ? tokens->mark : function_.mark;
    set("training.local_batch_size", config::number(is_pipeline ? each * batches : each, mark));
    if (is_pipeline)
      set("parallelism.pipeline_parallel_microbatch_size", config::number(each, mark));
    if (step && step->text != "-1")
      set("training.global_batch_size", config::number(sequences(*step, sequence), step->mark));
    is_folded_ = true;
  }

  static int64_t tokens_in(const Value& tokens) {
    job::check_known(tokens);
    return config::as_int(tokens, 1, INT64_C(1'000'000'000'000));
  }

  /// Documents are packed into sequences of the longest length.
  static int64_t sequences(const Value& tokens, int64_t sequence) {
    const int64_t all = tokens_in(tokens);
    if (all % sequence != 0)
      tokens.fail(fmt::format("{} tokens are not whole sequences of {}", all, sequence));
    return all / sequence;
  }

  /// Since June 2026 a class says what is run again.
  void recomputation() {
    const Value* said = at("activation_checkpoint");
    if (!said) {
      if (is_folded_ || at("training.disable_cuda_graphs")) selective();
      return;
    }
    const Value value = *said;
    job::check_known(value);
    const std::string name = recomputing_class(value);
    if (value.is_null() || value.text == "none") {
      set("activation_checkpoint", {});
      set("activation_checkpoint.mode", text("none", value.mark));
    } else if (!value.is_map() && value.text.empty()) {
      value.fail("must say what is run again, as FullAC.Config() does");
    } else if (name == "FullAC") {
      set("activation_checkpoint.mode", text("full", value.mark));
    } else if (name == "SelectiveAC") {
      selective();
    } else if (!value.is_map() || (name != "ActivationCheckpointConfig" && !name.empty())) {
      set("activation_checkpoint.mode", text(name.empty() ? value.text : name, value.mark));
    }
    erase("activation_checkpoint", "_target_");
  }
  /// Returns FullAC of a FullAC.Config.
  static std::string recomputing_class(const Value& value) {
    const std::string name = job::class_of(value), two = job::class_of(value, 2);
    return name == "Config" ? two.substr(0, two.find('.')) : name;
  }
  void selective() {
    set("activation_checkpoint.mode", text("selective", {}));
    set("activation_checkpoint.selective_ac_option", text("op", {}));
  }

  void optimizer() {
    const Value* said = at("optimizer");
    if (!said || !said->is_map()) return;
    const Value value = *said;
    if (job::class_of(value, 2).starts_with("OptimizersInBackwardContainer"))
      set("optimizer.early_step_in_backward", job::truth(true));
    else if (job::class_of(value) != "Config" && job::class_of(value) != "default_adamw")
      set("optimizer.name", text(job::class_of(value), value.mark));
    erase("optimizer", "_target_");
    const auto groups = taken("optimizer", "param_groups");
    if (!groups || groups->is_null()) return;
    job::check_known(*groups);
    if (!groups->is_list()) groups->fail("must be a list of groups of parameters");
    for (const Value& group : groups->items) take_group(group);
  }

  /// Groups of parameters may have optimizers of their own; the last one is of all the rest.
  void take_group(const Value& group) {
    job::check_known(group);
    if (!group.is_map()) group.fail("must be a group of parameters, ParamGroupConfig(...)");
    const Value* name = group.find("optimizer_name");
    const Value* before = at("optimizer.name");
    if (name && before && before->text != name->text)
      job::refuse(source_, import_, group.mark.where(),
                  fmt::format("{} beside {} cannot be said: all parameters have one optimizer",
                              name->text, before->text));
    if (name) set("optimizer.name", *name);
    const Value* rest = group.find("optimizer_kwargs");
    if (!rest || !rest->is_map()) return;
    for (const config::Entry& entry : rest->entries)
      if (entry.key != "betas") set("optimizer." + entry.key, entry.value);
  }

  /// CUDA graphs are of August 2026, where they are the default.
  void compilation() {
    if (auto async = taken("compile", "enable_async_tensor_parallel"))
      set("parallelism.enable_async_tensor_parallel", std::move(*async));
    if (is_folded_ && !at("training.disable_cuda_graphs"))
      set("training.disable_cuda_graphs", job::truth(false));
  }

  /// What the newest form has where nobody says it: a loss in pieces by its class, and attention
  /// that ends with each document.
  void classes() {
    const Value* loss = at("loss");
    if (loss && job::class_of(*loss, 2).starts_with("Chunked") && !at("loss.num_chunks"))
      set("loss.num_chunks", config::number(8, loss->mark));
    if (is_folded_ && !at("model.attn_backend")) set("model.attn_backend", text("flex", {}));
  }

  /// Names that keys of their own had before.
  void names() {
    for (const auto& [now, before] :
         {std::pair{"hf_assets_path", "model.hf_assets_path"}, {"dump_folder", "job.dump_folder"}})
      if (const Value* value = at(now)) {
        const Value said = *value;
        std::erase_if(out_.entries, [&](const config::Entry& entry) { return entry.key == now; });
        set(before, said);
      }
    for (const char* key : {"print_config", "save_config_file"})
      if (auto value = taken("debug", key)) set(fmt::format("job.{}", key), std::move(*value));
    drop_classes(out_);
  }

  /// Which class a section is of says nothing beyond its name.
  static void drop_classes(Value& value) {
    std::erase_if(value.entries,
                  [](const config::Entry& entry) { return entry.key == "_target_"; });
    for (config::Entry& entry : value.entries) drop_classes(entry.value);
  }

  const Value& function_;
  const job::Source& source_;
  job::Import& import_;
  Value out_;
  bool is_folded_ = false;  ///< batches are said by their tokens
};

}  // namespace

Value job_file_of(const Value& function, const job::Source& source, job::Import& import) {
  return Translation(function, source, import).run();
}

}  // namespace pipewright::torchtitan
