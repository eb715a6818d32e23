// Text in a cell of a table of Markdown.
#pragma once

#include <string>
#include <string_view>

namespace pipewright::cli {

/// Returns `text` with the bars that would end the cell escaped.
inline std::string markdown_cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

}  // namespace pipewright::cli
