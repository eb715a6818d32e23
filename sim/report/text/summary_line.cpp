#include "report/text/summary_line.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright {

std::string summary_line(const char* label, const std::string& text) {
  return fmt::format("  {:<{}}{}\n", label, summary_indent - 2, text);
}

TableRows summary_rows(std::string_view lines) {
  TableRows rows = {{"", ""}};
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const size_t at = std::min(line.size(), summary_indent);
    rows.push_back({std::string(line.substr(0, at)), std::string(line.substr(at))});
  }
  return rows;
}

}  // namespace pipewright
