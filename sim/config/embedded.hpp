// The catalogue's files as they were when the library was built; the table is written by embed.sh.
#pragma once

#include <span>
#include <string_view>

namespace pipewright::config {

struct EmbeddedFile {
  std::string_view kind, name, text;
};

/// Ordered by folder, then by name.
std::span<const EmbeddedFile> embedded_files();

}  // namespace pipewright::config
