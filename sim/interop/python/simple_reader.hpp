#pragma once

#include <vector>

#include "interop/python/token_stream.hpp"

namespace pipewright::interop::python {

/// Reads a statement that has no block below it, and adds what it says to `all`. Throws InputError
/// for what is none.
void simple_statement_in(TokenStream& tokens, std::vector<Statement>& all);

}  // namespace pipewright::interop::python
