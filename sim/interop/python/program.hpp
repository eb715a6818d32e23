// A configuration that is a program in Python, as far as its own text decides it: functions that
// return objects made with keyword arguments, attributes that are set afterwards, constants,
// arithmetic, conditions. Nothing is executed. What the text does not decide is Unknown, and says
// so where it is used.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interop/python/value.hpp"

namespace pipewright::interop::python {

/// What parse_args of an argparse.ArgumentParser gives.
inline constexpr std::string_view namespace_type = "argparse.Namespace";

/// The call of a function, class or method that stands in none of the files.
struct Call {
  std::string name;  ///< "nemo.collections.llm.llama3_8b.pretrain_recipe"
  std::vector<Value> arguments{};
  std::vector<std::pair<std::string, Value>> named{};
  Place place{};
  /// Why it is not known whether it is called; nothing where it is.
  std::optional<Unknown> doubt{};
  Value self{};  ///< the object whose method this is, "CLASS.method"; else nothing

  const Value* find(std::string_view argument) const;
};

/// What is around a program.
struct Surroundings {
  std::map<std::string, std::string> given{};  ///< --define NAME=VALUE
  /// Returns the text of another file, or nothing where there is none.
  std::function<std::optional<std::string>(const std::string& path)> read{};
  /// Returns what a call gives, or nothing where that is just an object of that name.
  std::function<std::optional<Value>(const Call& call, Heap& heap)> call{};
  /// Returns what a class has for a field that nobody sets: its type is the object's, or, of what
  /// is below such a field, "TYPE.field".
  std::function<std::optional<Value>(std::string_view type, std::string_view field, Heap& heap)>
      field{};
  /// Tells whether a function leaves its arguments as they are. Classes do.
  std::function<bool(std::string_view function)> is_idle{};
  /// Tells whether a class is of a framework: what nobody sets of it stays unsaid; null: none is.
  std::function<bool(std::string_view type)> is_framework{};
  /// Tells whether `call` is asked before the file in which a function stands; null: no function
  /// is.
  std::function<bool(std::string_view function)> is_own{};
};

class Program {
 public:
  /// Reads `text` and follows it to its end. Throws InputError for what is no program, for one that
  /// goes on for too long, and for one that raises.
  Program(std::string_view text, const std::string& file, Surroundings surroundings);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Returns the functions of the file in order.
  std::vector<std::string> functions() const;
  /// Returns the value of a name of the file, or nothing.
  std::optional<Value> find(std::string_view name) const;
  /// Returns what a function of the file, or one that it imports, gives. Its arguments are those
  /// that --define gives. Throws InputError where there is no function of that name.
  Value call(const std::string& function);
  /// Returns the --define names that were taken from outside.
  const std::vector<std::string>& asked() const;
  /// Tells whether it reads its command line.
  bool reads_command_line() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pipewright::interop::python
