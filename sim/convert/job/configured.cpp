#include "convert/job/configured.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/required.hpp"
#include "interop/python/builtins.hpp"
#include "interop/python/scope.hpp"

namespace pipewright::job {
namespace {

namespace python = interop::python;

/// What readers of jobs ask for themselves.
constexpr std::string_view of_jobs[] = {config_definition, devices_definition, "VOCAB_SIZE"};

/// What a command line says over a configuration, the words of ours say (KEY=VALUE).
constexpr std::string_view overriding[] = {"apply_overrides", "process_config_with_overrides",
                                           "apply_args_to_config", "parse_cli_overrides"};

std::optional<python::Value> object_in(const python::Call& call, std::string_view argument) {
  const python::Value* found = argument.empty() ? nullptr : call.find(argument);
  if (!found && !call.arguments.empty()) found = &call.arguments.front();
  if (!found || !found->object() || found->object()->type == python::namespace_type)
    return std::nullopt;
  return *found;
}

class Finder {
 public:
  Finder(const Source& source, const Making& making) : source_(source), making_(making) {
    outside_ = source;
    for (const std::string_view name : {config_definition, devices_definition})
      outside_.given.erase(std::string(name));
  }

  config::Value run(Import& import) {
    python::Program program(source_.text, source_.file, surroundings());
    if (doubt_)
      import.assumed.push_back(
          fmt::format("the program is taken to train in line {}, which is so or not by {}",
                      first().place.line, doubt_->written));
    const python::Value job = found_ ? *found_ : program.call(chosen(program));
    check_definitions(program, source_, of_jobs);
    if (program.reads_command_line())
      import.assumed.emplace_back(
          "the program starts without arguments but those that --define NAME=VALUE says");
    for (const std::string& path : packaged_)
      import.assumed.push_back(
          fmt::format("{} is not here: it is taken as of {}", path, making_.release));
    return document_of(job, source_, import);
  }

 private:
  /// Returns the function that gives the configuration: --define CONFIG says it, else the program
  /// names it as what its command line begins with.
  std::string chosen(const python::Program& program) const {
    const bool is_given = source_.given.contains(std::string(config_definition));
    return factory_.empty() || is_given ? function_of(program, source_) : factory_;
  }

  python::Surroundings surroundings() {
    python::Surroundings out = surroundings_of(outside_);
    out.call = [this](const python::Call& call, python::Heap& heap) {
      return answered(call, heap);
    };
    out.is_own = [this](std::string_view function) {
      return std::ranges::any_of(
          making_.own, [&](std::string_view begin) { return function.starts_with(begin); });
    };
    out.read = [this](const std::string& path) { return text_of(path); };
    if (making_.field) out.field = making_.field;
    return out;
  }

  std::optional<std::string> text_of(const std::string& path) {
    if (source_.read) {
      if (auto text = source_.read(path)) return text;
      if (!making_.below.empty())
        if (auto text = source_.read(std::string(making_.below) + path)) return text;
    }
    auto text = making_.packaged ? making_.packaged(path) : std::nullopt;
    if (text) packaged_.push_back(path);
    return text;
  }

  std::optional<python::Value> answered(const python::Call& call, python::Heap& heap) {
    const std::string_view last = python::last_name(call.name);
    const bool starts = std::ranges::any_of(making_.starts, [&](std::string_view name) {
      return call.name == name || call.name.ends_with(fmt::format(".{}", name));
    });
    auto object = making_.several ? making_.several(call, heap) : std::nullopt;
    if (!object && starts) object = object_in(call, making_.argument);
    if (object && making_.is_other && making_.is_other(*object->object())) object.reset();
    if (object) {
      start(*object, call, heap);
      return python::Value{{}, call.place};
    }
    if (starts && call.find("default_factory"))
      if (const python::Closure* factory = call.find("default_factory")->closure())
        factory_ = factory->definition->text;
    if (std::ranges::find(overriding, last) != std::end(overriding))
      if (const auto changed = object_in(call, {})) return *changed;
    return making_.call ? making_.call(call, heap) : std::nullopt;
  }

  /// Takes the object as it is now: what is set of it afterwards does not count.
  void start(const python::Value& object, const python::Call& call, python::Heap& heap) {
    if (!found_) {
      first_ = object.object();
      found_ = python::copied_whole(object, heap);
      doubt_ = call.doubt;
    } else if (first_ != object.object()) {
      fail_twice(call);
    } else if (!call.doubt) {
      doubt_.reset();
    }
  }

  const python::Value& first() const { return required(found_, "it has trained before"); }

  [[noreturn]] void fail_twice(const python::Call& call) const {
    const std::optional<python::Unknown>& why = doubt_ ? doubt_ : call.doubt;
    if (!why)
      throw InputError(call.place.where(),
                       fmt::format("this program trains twice: by what it hands over in line {} "
                                   "too, which is another configuration",
                                   first().place.line));
    throw InputError(
        call.place.where(),
        fmt::format("this program trains here or in line {}, by {}{}", first().place.line,
                    why->written,
                    why->name.empty() ? std::string()
                                      : fmt::format(": --define {}=VALUE says it", why->name)));
  }

  const Source& source_;
  const Making& making_;
  Source outside_;
  std::optional<python::Value> found_;
  const python::Object* first_ = nullptr;  ///< of which found_ is a copy
  std::optional<python::Unknown> doubt_;   ///< why it is not known whether it trains by this
  std::vector<std::string> packaged_;
  std::string factory_;  ///< the function that the program's command line begins with
};

}  // namespace

void check_definitions(const python::Program& program, const Source& source,
                       std::span<const std::string_view> others) {
  for (const auto& [name, value] : source.given) {
    const bool is_asked = std::ranges::find(program.asked(), name) != program.asked().end();
    if (!is_asked && std::ranges::find(others, name) == others.end())
      throw InputError(fmt::format("--define {}={}: {} takes nothing of that name from outside",
                                   name, value, source.file));
  }
}

std::string function_of(const python::Program& program, const Source& source) {
  if (const auto given = source.given.find(std::string(config_definition));
      given != source.given.end())
    return given->second;
  std::vector<std::string> names = program.functions();
  std::erase_if(names, [](const std::string& name) { return name.starts_with('_'); });
  if (names.size() == 1) return names.front();
  throw InputError({source.file, 1, 1},
                   names.empty()
                       ? "this program makes no configuration, and has no function that does"
                       : fmt::format("which configuration? --define CONFIG=NAME says it: {}",
                                     fmt::join(names, ", ")));
}

config::Value configured(const Source& source, const Making& making, Import& import) {
  return Finder(source, making).run(import);
}

}  // namespace pipewright::job
