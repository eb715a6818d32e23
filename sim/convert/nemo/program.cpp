// After nemo_run/config.py and nemo/collections/llm/recipes (NeMo 2.0 to 2.5): run.Partial(f, ...)
// and run.Config(C, ...) are what f or C would be called with, and what --to-yaml writes down.
#include "convert/nemo/program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/configured.hpp"
#include "convert/job/settings.hpp"
#include "convert/nemo/packaged_helpers.hpp"
#include "convert/nemo/packaged_recipes.hpp"
#include "convert/nemo/recipe.hpp"

namespace pipewright::nemo {
namespace {

namespace python = interop::python;

using config::Value;

/// Functions that train by a recipe: those of NeMo-Run, its experiments and NeMo's own.
constexpr std::string_view starts[] = {"run", "Experiment.add", "main", "pretrain", "train"};
constexpr std::string_view own[] = {"nemo_run.", "nemo.collections.llm.api."};

/// Tells whether a configuration has the argument `name`: it says it, or it is a Trainer of
/// Lightning, which has steps.
bool has_argument(const python::Object& object, std::string_view name) {
  return object.find(name) || (python::last_name(object.type) == "Trainer" && name == "max_steps");
}

/// Sets `name` of every configuration from `object` on that has it; returns how many those are.
int set_below(python::Object& object, const std::string& name, const python::Value& value,
              int depth = 0) {
  constexpr int deepest = 20;
  int count = 0;
  if (has_argument(object, name)) {
    object.set(name, value);
    ++count;
  }
  for (auto& [field, inner] : object.fields) {
    python::Object* below = depth < deepest ? inner.object() : nullptr;
    if (below && !below->is_dictionary()) count += set_below(*below, name, value, depth + 1);
  }
  return count;
}

/// recipe.broadcast(x=1) sets x wherever a configuration below has it. Where none is known to have
/// it, what it does is not known.
std::optional<python::Value> broadcast(const python::Call& call) {
  python::Object* object = call.self.object();
  if (!object || python::last_name(call.name) != "broadcast" || !call.arguments.empty())
    return std::nullopt;
  for (const auto& [name, value] : call.named) {
    const python::Value given =
        call.doubt ? python::Value{*call.doubt, call.place} : python::Value(value);
    if (set_below(*object, name, given) == 0) return std::nullopt;
  }
  return python::Value{{}, call.place};
}

/// Configurations that experiments of NeMo-Run take beside those of a training.
constexpr std::string_view other_configurations[] = {
    "import_ckpt", "export_ckpt", "Script", "evaluate", "deploy", "prune", "ptq", "generate"};
bool is_other(const python::Object& object) {
  return std::ranges::find(other_configurations, python::last_name(object.type)) !=
         std::end(other_configurations);
}

/// What NeMo's functions that train take, in order (nemo/collections/llm/api.py).
constexpr std::string_view training_parts[] = {"model", "data",   "trainer",
                                               "log",   "resume", "optim"};
constexpr std::string_view functions_of_parts[] = {"pretrain", "train", "finetune"};

/// llm.train(model=..., data=..., trainer=...) has what a recipe has.
std::optional<python::Value> recipe_of_parts(const python::Call& call, python::Heap& heap) {
  const bool trains = std::ranges::find(functions_of_parts, python::last_name(call.name)) !=
                      std::end(functions_of_parts);
  if (!trains || !call.name.starts_with("nemo.collections.llm.")) return std::nullopt;
  if (call.arguments.size() > std::size(training_parts)) return std::nullopt;
  python::Object& recipe = heap.object(call.name, call.place);
  for (size_t i = 0; i < call.arguments.size(); ++i)
    heap.set(recipe, training_parts[i], call.arguments[i]);
  for (const auto& [name, value] : call.named) heap.set(recipe, name, value);
  const python::Value* trainer = recipe.find("trainer");
  if (!trainer || !trainer->object()) return std::nullopt;
  return python::Value{&recipe, call.place};
}

/// Returns the object that a run.Partial or run.Config stands for.
std::optional<python::Value> configured_call(const python::Call& call, python::Heap& heap) {
  if (auto done = broadcast(call)) return done;
  const std::string_view last = python::last_name(call.name);
  const bool is_config = call.name == "nemo_run.Partial" || call.name == "nemo_run.Config";
  if (!is_config || call.arguments.empty()) return std::nullopt;
  const python::Value& of = call.arguments.front();
  const auto* symbol = of.as<python::Symbol>();
  python::Object& object =
      heap.object(symbol ? symbol->name : fmt::format("nemo_run.{}", last), call.place);
  object.is_made = true;
  object.arguments.assign(call.arguments.begin() + 1, call.arguments.end());
  for (const auto& [name, value] : call.named) heap.set(object, name, value);
  return python::Value{&object, call.place};
}

constexpr std::string_view folder = "nemo/collections/llm/", inner = "recipes/";

/// Names of recipes are shorter than where they lie: llm.llama3_8b is llm/recipes/llama3_8b.py.
std::string name_of(std::string_view path) {
  path.remove_prefix(folder.size());
  if (path.starts_with(inner)) path.remove_prefix(inner.size());
  return std::string(path);
}

std::optional<std::string> packaged(std::string_view path) {
  if (const auto helper = packaged_helper(path)) return std::string(*helper);
  if (!path.starts_with(folder) || !path.ends_with(".py")) return std::nullopt;
  const std::string name = name_of(path);
  return packaged_recipe(name.substr(0, name.size() - 3));
}

std::optional<std::string> text_of(const job::Source& source, const std::string& path) {
  if (!source.read) return std::nullopt;
  if (auto text = source.read(path)) return text;
  if (!path.starts_with(folder)) return std::nullopt;
  return source.read(fmt::format("{}{}{}", folder, inner, name_of(path)));
}

}  // namespace

job::Import import_program(const job::Source& source) {
  const job::Making making{.framework = "NeMo",
                           .starts = starts,
                           .argument = {},
                           .several = recipe_of_parts,
                           .is_other = is_other,
                           .own = own,
                           .packaged = packaged,
                           .release = "NeMo 2.5",
                           .call = configured_call};
  job::Source with_recipes = source;
  with_recipes.read = [&](const std::string& path) { return text_of(source, path); };
  job::Import notes;
  Value root = job::configured(with_recipes, making, notes);
  if (!is_recipe(root) || !root.find("trainer")) {
    const std::string name = job::class_of(root, 2);
    throw InputError(
        root.mark.where(),
        fmt::format("{} is no recipe of NeMo 2 that is known here: let NeMo-Run write it "
                    "by '--to-yaml FILE'",
                    name.empty() ? "what this program trains by" : name));
  }
  return import_document(std::move(root), source, std::move(notes));
}

}  // namespace pipewright::nemo
