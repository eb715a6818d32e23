// What [ ... ], [[ ... ]] and test say.
#pragma once

#include <vector>

#include "interop/shell/environment.hpp"

namespace pipewright::shell {

/// Whether something holds; `open` where only the machine knows on which the script runs.
struct Truth {
  enum class Value { no, yes, open };
  Value value = Value::no;
  std::string reason;  ///< what it hangs on, where it is open

  static Truth of(bool holds) { return {holds ? Value::yes : Value::no, {}}; }
  static Truth open(std::string reason) { return {Value::open, std::move(reason)}; }
  bool is_open() const { return value == Value::open; }
  bool holds() const { return value == Value::yes; }
};

/// What a command says that has succeeded.
inline const Truth yes = Truth::of(true);

/// Returns what the words between the brackets say. `patterns`: == compares with a pattern, as in
/// [[ ]]. Throws InputError at `place` for what is no condition.
Truth test(const std::vector<Text>& words, bool patterns, const Place& place, Variables& variables);

}  // namespace pipewright::shell
