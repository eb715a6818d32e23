// YAML files that the program writes: their first line tells editors the schema.
#pragma once

#include <string>
#include <string_view>

namespace pipewright::cli {

/// Writes `text` to a file that begins with a line for editors, or as it stands to standard output.
/// `kind` is a word of 'pipewright schema'.
void write_yaml(const std::string& path, std::string_view text, std::string_view kind);

}  // namespace pipewright::cli
