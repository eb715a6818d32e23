// The rules of the grammar of commands, which read each other.
#pragma once

#include "interop/shell/tokens.hpp"

namespace pipewright::shell {

/// Reads commands up to one of `ends` in the place of a command, which is left, or to the end.
Node read_list(Tokens in, std::initializer_list<std::string_view> ends);

/// Reads a command with its redirections.
Node read_command(Tokens in);

/// Reads a command that begins with a keyword or a bracket, or else a simple one.
Node read_compound(Tokens in);

/// Reads assignments, words and redirections.
Node read_simple(Tokens in);

/// Reads a redirection into `node`; returns whether there was one.
bool read_redirection(Tokens in, Node& node);

}  // namespace pipewright::shell
