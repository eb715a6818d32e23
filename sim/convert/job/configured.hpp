// The object by which a program in Python trains: what it hands to the function that does.
#pragma once

#include <functional>
#include <span>

#include "convert/job/python_document.hpp"

namespace pipewright::job {

/// What --define says of a program beside its own names: which function of it, and how many
/// devices.
inline constexpr std::string_view config_definition = "CONFIG", devices_definition = "NGPU";

/// How programs of a framework make their configuration.
struct Making {
  std::string_view framework;
  /// Functions that train by it, by their last names or more of them, and the argument that it is.
  /// Without a name it is the first argument.
  std::span<const std::string_view> starts;
  std::string_view argument;
  /// Returns the configuration of a function that trains by several objects, and nothing for
  /// others; null: none does.
  std::function<std::optional<interop::python::Value>(const interop::python::Call& call,
                                                      interop::python::Heap& heap)>
      several{};
  /// Tells whether a function does not train by what it is given; null: all do.
  bool (*is_other)(const interop::python::Object& object) = nullptr;
  /// What the framework's own modules begin with, whose functions are asked here before their
  /// files.
  std::span<const std::string_view> own{};
  /// Where modules lie, seen from a checkout: "src/". Empty for none.
  std::string_view below{};
  /// Returns the text of a module whose file is not there, as far as it is known; null: none is.
  std::optional<std::string> (*packaged)(std::string_view path) = nullptr;
  std::string_view release{};  ///< of which what is packaged was taken
  /// Returns what a call gives (Surroundings::call); null: nothing of the framework is known.
  std::function<std::optional<interop::python::Value>(const interop::python::Call& call,
                                                      interop::python::Heap& heap)>
      call{};
  /// Returns what a class has for a field that nobody sets (Surroundings::field); null: nothing of
  /// that is known.
  std::optional<interop::python::Value> (*field)(std::string_view type, std::string_view field,
                                                 interop::python::Heap& heap) = nullptr;
};

/// Follows the program `source` to where it trains, or to what the function gives that --define
/// CONFIG=NAME says, or that is the only one. Throws InputError where neither is there.
config::Value configured(const Source& source, const Making& making, Import& import);

/// Throws InputError for a --define that `program` does not take, and that is none of `others`.
void check_definitions(const interop::python::Program& program, const Source& source,
                       std::span<const std::string_view> others);

/// Returns the function of a program that --define CONFIG=NAME says, or its only one that does not
/// begin with '_'. Throws InputError where that is not clear.
std::string function_of(const interop::python::Program& program, const Source& source);

}  // namespace pipewright::job
