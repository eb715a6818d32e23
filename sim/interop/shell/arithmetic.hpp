// Bash's arithmetic: 64-bit integers, variables by name, assignments.
#pragma once

#include <string>
#include <string_view>

#include "interop/shell/text.hpp"

namespace pipewright::shell {

/// A number, or why there is none.
struct Amount {
  int64_t value = 0;
  std::shared_ptr<const Unknown> unknown;
};

struct Variable;

/// The variables of an expression.
class Variables {
 public:
  virtual ~Variables() = default;
  /// Returns the variable, or null where nobody sets it.
  virtual const Variable* find(const std::string& name) = 0;
  virtual Text value_of(const std::string& name, const Place& place) = 0;
  virtual void assign(const std::string& name, const Text& value) = 0;
};

/// Returns what `text`, all of which is known, comes to; 0 where it is empty. Throws InputError at
/// `place` for what is no expression and for a division by zero.
Amount evaluate(std::string_view text, const Place& place, Variables& variables);

}  // namespace pipewright::shell
