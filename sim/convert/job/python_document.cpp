#include "convert/job/python_document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/settings.hpp"

namespace pipewright::job {
namespace {

namespace python = interop::python;

using config::Value;

constexpr int deepest = 40;

/// Functions that say or look at something.
constexpr std::string_view idle_functions[] = {
    "print",      "pprint",       "info",
    "warning",    "debug",        "print_yaml",
    "to_yaml",    "basicConfig",  "setLevel",
    "log_config", "print_config", "log_non_default_values",
    "validate",   "maybe_log",    "destroy_process_group"};

/// Modules whose classes readers know by their names.
constexpr std::string_view frameworks[] = {"megatron.",   "nemo.",  "nemo_run.",
                                           "torchtitan.", "torch.", "transformers."};

config::Mark mark_of(const python::Place& place) { return {place.file, place.line, place.column}; }

class DocumentWriter {
 public:
  DocumentWriter(const Source& source, Import& import) : source_(source), import_(import) {}

  Value write(const python::Value& value) {
    constexpr size_t most = 100'000;
    if (++written_ > most)
      throw InputError(value.place.where(), "what this program makes has too many values");
    Value out = written_value(value);
    out.mark = mark_of(value.place);
    return out;
  }

 private:
  Value written_value(const python::Value& value) {
    if (value.is_none()) return {};
    if (const bool* is = value.as<bool>()) return truth(*is);
    if (const int64_t* number = value.as<int64_t>()) return config::number(*number);
    if (const double* number = value.as<double>())
      return config::scalar(fmt::format("{}", *number));
    if (const std::string* text = value.as<std::string>()) return quoted(*text);
    if (const auto* symbol = value.as<python::Symbol>()) return quoted(symbol->name);
    if (const auto* unknown = value.as<python::Unknown>()) return unknown_value(*unknown);
    if (value.closure()) return quoted("a function of this file");
    if (const python::Object* object = value.object()) return map_of(*object);
    return list_of_items(*value.list());
  }

  static Value quoted(const std::string& text) {
    Value value = config::scalar(text);
    value.quoted = true;
    return value;
  }

  static Value unknown_value(const python::Unknown& unknown) {
    const std::string how =
        unknown.name.empty() ? "" : fmt::format(": --define {}=VALUE says it", unknown.name);
    Value value;
    value.set(unknown_key, quoted(fmt::format("{} is not known here{}", unknown.written, how)));
    return value;
  }

  void enter(const python::Place& place) {
    if (++depth_ > deepest) throw InputError(place.where(), "objects are nested too deeply");
  }

  Value list_of_items(const python::List& list) {
    Value out;
    out.kind = Value::Kind::list;
    enter({});
    for (const python::Value& item : list.items) out.items.push_back(write(item));
    --depth_;
    return out;
  }

  Value map_of(const python::Object& object) {
    enter(object.place);
    for (const python::Value& by : object.changed_by)
      job::refuse(source_, import_, by.place.where(),
                  fmt::format("what {} does to the job is not known: it stands in no file that is "
                              "here",
                              by.as<python::Symbol>()->name));
    Value out;
    out.kind = Value::Kind::map;
    if (!object.type.empty() && !object.is_implied) out.set("_target_", quoted(object.type));
    if (!object.arguments.empty()) {
      Value list;
      list.kind = Value::Kind::list;
      for (const python::Value& one : object.arguments) list.items.push_back(write(one));
      out.set("_args_", std::move(list));
    }
    for (const auto& [name, field] : object.fields) add_field(object, name, field, out);
    --depth_;
    return out;
  }

  void add_field(const python::Object& object, const std::string& name, const python::Value& field,
                 Value& out) {
    const python::Object* inner = field.object();
    const bool is_own = inner && inner->type == object.type + '.' + name;
    // A field that was only asked for says nothing; one that stands for it elsewhere is not known.
    if (inner && inner->is_nothing()) {
      if (!is_own) out.set(name, unknown_value({inner->type, {}})).mark = mark_of(field.place);
      return;
    }
    if (name == "*" || name == "**") {
      job::refuse(source_, import_, field.place.where(),
                  fmt::format("what {}{} says is not known here", name,
                              field.as<python::Unknown>() ? field.as<python::Unknown>()->written
                                                          : "its argument"));
      return;
    }
    out.set(name, write(field));
    out.entries.back().mark = mark_of(field.place);
  }

  const Source& source_;
  Import& import_;
  int depth_ = 0;
  size_t written_ = 0;  ///< values; what stands in several places counts in each
};

}  // namespace

python::Surroundings surroundings_of(const Source& source) {
  return {.given = source.given,
          .read = source.read,
          .is_idle =
              [](std::string_view function) {
                return std::ranges::find(idle_functions, function) != std::end(idle_functions);
              },
          .is_framework =
              [](std::string_view type) {
                return std::ranges::any_of(
                    frameworks, [&](std::string_view begin) { return type.starts_with(begin); });
              }};
}

Value document_of(const python::Value& value, const Source& source, Import& import) {
  return DocumentWriter(source, import).write(value);
}

std::string class_of(const Value& document, int parts) {
  const Value* target = document.is_map() ? document.find("_target_") : nullptr;
  if (!target) return {};
  size_t start = target->text.size() + 1;
  for (int i = 0; i < parts && start > 0; ++i) {
    const size_t dot = start < 2 ? std::string::npos : target->text.find_last_of('.', start - 2);
    start = dot == std::string::npos ? 0 : dot + 1;
  }
  return target->text.substr(start);
}

}  // namespace pipewright::job
