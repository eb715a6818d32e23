// Readers of what a loop or a with sets.
#pragma once

#include "interop/python/token_stream.hpp"

namespace pipewright::interop::python {

/// Reads the targets of a loop, which may be several behind commas. They may not be read as an
/// expression, which "in" would end. Throws InputError for what is none.
Expression targets_in(TokenStream& tokens);

/// Reads one target. Throws InputError for what is none.
Expression target_in(TokenStream& tokens);

}  // namespace pipewright::interop::python
