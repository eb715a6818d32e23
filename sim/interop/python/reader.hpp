// Python's grammar (docs.python.org/3/reference/grammar.html), as far as syntax.hpp has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interop/python/syntax.hpp"
#include "interop/python/tokens.hpp"

namespace pipewright::interop::python {

/// Returns the statements of a program. Throws InputError with file, line and column for what is no
/// program.
std::vector<Statement> read_program(std::string_view source, const std::string& file);

/// Returns the literal or expression that `source` is; an opaque one where it is none.
Expression read_expression(std::string_view source, const std::string& file);

}  // namespace pipewright::interop::python
