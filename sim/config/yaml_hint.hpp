// What would be right where the YAML library's message says only what is wrong.
#pragma once

#include <string>
#include <string_view>

namespace pipewright::config {

/// Returns what to write instead in a text that the library refuses in `line`, counted from 1, with
/// `message`; empty where nobody knows. It begins with "; ".
std::string yaml_hint(std::string_view text, int line, std::string_view message);

/// Tells whether the bytes are no text at all: pictures and archives have bytes of zero.
bool is_binary(std::string_view bytes);

}  // namespace pipewright::config
