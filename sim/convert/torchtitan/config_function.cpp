// After torchtitan/config/manager.py, trainer.py and models/*/config_registry.py of February to
// August 2026.
#include "convert/torchtitan/config_function.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/carried.hpp"
#include "convert/job/configured.hpp"
#include "convert/job/documents.hpp"
#include "convert/job/python_document.hpp"
#include "convert/torchtitan/function_document.hpp"
#include "convert/torchtitan/function_keys.hpp"
#include "convert/torchtitan/job_file.hpp"

namespace pipewright::torchtitan {
namespace {

namespace python = interop::python;

using config::Value;

/// What --define says that no program asks.
constexpr std::string_view own_definitions[] = {job::config_definition, module_of_function,
                                                job::devices_definition};

/// What functions ask, or add to, where nobody says it: what is compiled, and overrides of kernels.
std::optional<python::Value> default_of(std::string_view type, std::string_view field,
                                        python::Heap& heap) {
  if (type.ends_with(".override") && field == "imports") return python::Value{&heap.list(), {}};
  if (!type.ends_with("CompileConfig") && !type.ends_with(".compile")) return std::nullopt;
  if (field == "enable" || field == "enable_async_tensor_parallel") return python::Value{false, {}};
  if (field != "components") return std::nullopt;
  return python::Value{&heap.list({{std::string("model"), {}}, {std::string("loss"), {}}}), {}};
}

/// A model's registry names a model, whose sizes are known here.
std::optional<python::Value> registry_call(const python::Call& call, python::Heap& heap) {
  if (python::last_name(call.name) != "model_registry") return std::nullopt;
  python::Object& object = heap.object(call.name, call.place);
  object.arguments = call.arguments;
  for (const auto& [name, value] : call.named) heap.set(object, name, value);
  return python::Value{&object, call.place};
}

}  // namespace

job::Import import_config_function(const job::Source& source) {
  job::Source outside = source;
  for (const std::string_view name : own_definitions) outside.given.erase(std::string(name));
  python::Surroundings surroundings = job::surroundings_of(outside);
  surroundings.call = registry_call;
  surroundings.is_own = [](std::string_view function) {
    return python::last_name(function) == "model_registry";
  };
  surroundings.field = default_of;
  python::Program program(source.text, source.file, std::move(surroundings));
  const std::string name = job::function_of(program, source);
  const python::Value made = program.call(name);
  job::check_definitions(program, source, own_definitions);
  job::Import import;
  Value function = job::document_of(made, source, import);
  if (!function.is_map() || !function.find("_target_"))
    throw InputError(made.place.where(),
                     fmt::format("{} gives no Trainer.Config, but {}", name,
                                 function.is_null() ? "nothing" : job::written(function)));
  job::apply_words(source, function);
  import.from = fmt::format("{}, a configuration of torchtitan", name);
  Value document = job_file_of(function, source, import);
  return import_document(std::move(document), source, function_keys(), std::move(import));
}

}  // namespace pipewright::torchtitan
