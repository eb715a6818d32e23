// After src/megatron/bridge/recipes (August 2026): a recipe begins with _pretrain_common, takes the
// sizes of its model from Hugging Face by AutoBridge, and sets what is its own.
#include "convert/megatron_bridge/program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/configured.hpp"
#include "convert/job/settings.hpp"
#include "convert/megatron/class_fields.hpp"
#include "convert/megatron_bridge/bridge_fields.hpp"
#include "convert/megatron_bridge/hugging_face_names.hpp"
#include "convert/megatron_bridge/model_classes.hpp"
#include "convert/megatron_bridge/packaged_recipes.hpp"
#include "convert/megatron_bridge/recipe.hpp"

namespace pipewright::megatron_bridge {
namespace {

namespace python = interop::python;

using config::Value;

constexpr std::string_view starts[] = {"pretrain", "finetune"};
constexpr std::string_view own[] = {"megatron.bridge.training.",
                                    "megatron.bridge.utils.cuda_graph."};
constexpr std::string_view bridge = "AutoBridge", name_of_model = "hugging_face";

/// What functions of Megatron Bridge set in a model, whose files need not be there
/// (training/flex_dispatcher_backend.py, utils/cuda_graph.py with Megatron-Core of May 2026 or
/// later).
bool sets_model(const python::Call& call, python::Heap& heap) {
  if (call.arguments.empty() || !call.arguments[0].object()) return false;
  python::Object& model = *call.arguments[0].object();
  const std::string_view name = python::last_name(call.name);
  const python::Value* what = call.arguments.size() > 1 ? &call.arguments[1] : nullptr;
  if (name == "set_cuda_graph_modules" && what) {
    model.set("cuda_graph_modules", *what);
    return true;
  }
  if (name == "clear_cuda_graph_modules") {
    model.set("cuda_graph_modules", {&heap.list({}), call.place});
    return true;
  }
  if (name != "apply_flex_dispatcher_backend") return false;
  if (!what) what = call.find("moe_flex_dispatcher_backend");
  const std::string* backend = what ? what->as<std::string>() : nullptr;
  if (backend && (*backend == "deepep" || *backend == "hybridep")) {
    model.set("moe_token_dispatcher_type", {std::string("flex"), call.place});
    model.set("moe_flex_dispatcher_backend", {*backend, call.place});
    model.set("moe_shared_expert_overlap", {false, call.place});
  }
  return !what || what->is_none() || backend;
}

/// AutoBridge.from_hf_pretrained("meta-llama/Meta-Llama-3-8B").get_model_config() is a model.
std::optional<python::Value> model_call(const python::Call& call, python::Heap& heap) {
  if (call.name.ends_with("AutoBridge.from_hf_pretrained")) {
    python::Object& object = heap.object(std::string(bridge), call.place);
    const python::Value* name = call.arguments.empty() ? call.find("path") : &call.arguments[0];
    if (name) object.set(name_of_model, *name);
    return python::Value{&object, call.place};
  }
  if (sets_model(call, heap)) return python::Value{{}, call.place};
  const python::Object* self = call.self.object();
  if (!self || self->type != bridge) return std::nullopt;
  return call.self;
}

/// What Megatron-Core's TransformerConfig and Megatron Bridge's RNGConfig have where nobody sets it
/// (August 2026).
struct Default {
  std::string_view field, text{};  ///< without a text it is false
};
constexpr Default of_models[] = {{"use_transformer_engine_op_fuser"},
                                 {"use_te_rng_tracker"},
                                 {"sequence_parallel"},
                                 {"cuda_graph_impl", "none"},
                                 {"moe_flex_dispatcher_backend", "deepep"},
                                 {"cuda_graph_scope", "None"},
                                 {"cuda_graph_modules", "None"},
                                 {"recompute_granularity", "None"},
                                 {"virtual_pipeline_model_parallel_size", "None"}};

std::optional<python::Value> default_of(std::string_view type, std::string_view field,
                                        python::Heap&) {
  if (python::last_name(type) == "RNGConfig" && field == "te_rng_tracker")
    return python::Value{false};
  const auto* found = std::ranges::find(of_models, field, &Default::field);
  const std::string_view name = python::last_name(type);
  const bool is_model =
      type == bridge || name.ends_with("ModelProvider") || !model_of_class(name).empty();
  if (!is_model || found == std::end(of_models)) return std::nullopt;
  if (found->text.empty()) return python::Value{false};
  if (found->text == "None") return python::Value{};
  return python::Value{std::string(found->text)};
}

/// Takes the class out of a map that is said by its fields.
void drop_target(Value& map) {
  std::erase_if(map.entries, [](const config::Entry& entry) { return entry.key == "_target_"; });
}

/// Number formats by the function that makes them: bf16_mixed(), get_mixed_precision_config("...").
void name_precision(Value& root) {
  Value* precision = root.find("mixed_precision");
  if (!precision || !precision->is_map()) return;
  const std::string name = job::class_of(*precision);
  if (name.empty() || (name[0] >= 'A' && name[0] <= 'Z')) return;
  const Value* arguments = precision->find("_args_");
  const bool is_named = name == "get_mixed_precision_config" && arguments &&
                        arguments->items.size() == 1 && precision->entries.size() == 2;
  if (!is_named && precision->entries.size() != 1)
    precision->fail(fmt::format("{} with changes of its own cannot be said", name));
  Value text = config::scalar(is_named ? arguments->items[0].text : name, precision->mark);
  *precision = std::move(text);
}

/// Returns the catalogue's name of the model: by its class, or by its name at Hugging Face.
std::optional<std::string> model_of(Value& root) {
  Value* model = root.find("model");
  if (!model) return std::nullopt;
  if (const std::string_view known = model_of_class(job::class_of(*model)); !known.empty())
    return std::string(known);
  if (job::class_of(*model) != bridge) return std::nullopt;
  const Value* name = model->find(name_of_model);
  if (name) job::check_known(*name);
  const std::string said = name ? name->text : std::string();
  const std::string_view known = model_named(said);
  if (known.empty())
    model->fail(
        fmt::format("the sizes of {} are at Hugging Face: give its config.json as a further "
                    "FILE, or --model NAME of the catalogue",
                    said));
  return std::string(known);
}

/// Sets what nobody says and the model's class does, or AutoBridge for a model of that name.
void set_class_fields(Value& model) {
  const std::string type = job::class_of(model);
  const Value* name = type == bridge ? model.find(name_of_model) : nullptr;
  for (const auto& [field, value] : name ? bridge_fields(name->text) : megatron::class_fields(type))
    if (!model.find(field)) model.set(field, config::scalar(std::string(value), model.mark));
}

}  // namespace

job::Import import_program(const job::Source& source) {
  const job::Making making{.framework = "Megatron Bridge",
                           .starts = starts,
                           .argument = "config",
                           .own = own,
                           .below = "src/",
                           .packaged = packaged_recipes,
                           .release = "August 2026",
                           .call = model_call,
                           .field = default_of};
  job::Import notes;
  Value root = job::configured(source, making, notes);
  job::Source with_model = source;
  const bool has_model =
      !source.model.empty() || std::ranges::any_of(source.further, [](const job::Further& further) {
        return further.text && further.word.ends_with(".json");
      });
  if (!has_model)
    if (const auto name = model_of(root)) {
      with_model.model = *name;
      notes.assumed.push_back(fmt::format("the sizes of the model are those of '{}'", *name));
    }
  if (Value* model = root.find("model")) set_class_fields(*model);
  if (Value* model = root.find("model"); model && job::class_of(*model) == bridge) {
    drop_target(*model);
    std::erase_if(model->entries,
                  [](const config::Entry& entry) { return entry.key == name_of_model; });
  }
  name_precision(root);
  // What a recipe has in common with all others holds where its file is not there.
  if (job::class_of(root) != "ConfigContainer") drop_target(root);
  return import_document(std::move(root), with_model, std::move(notes));
}

}  // namespace pipewright::megatron_bridge
