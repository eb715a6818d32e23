// What patterns, cases and positions make of a value: ${NAME##*/}, ${NAME^^}, ${NAME:1:2}.
#pragma once

#include <optional>

#include "interop/shell/expander.hpp"

namespace pipewright::shell {

/// Returns the text of a part that is not known; the variable `name` would say it.
Text not_known(const Part& part, std::string name = {});

/// From which to before which.
struct Slice {
  size_t from = 0, to = 0;
};

/// Returns what OFFSET:LENGTH takes of so many; nothing where a number is not known.
std::optional<Slice> slice_of(const std::string& text, size_t size, const Place& place,
                              Variables& variables);

/// Returns `value` as the operation of `part` changes it; what is not known stays as it is.
Text changed(const Part& part, const Text& value, Expander& expander);

}  // namespace pipewright::shell
