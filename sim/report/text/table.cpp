#include "report/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright {

std::string aligned(const std::vector<std::vector<std::string>>& rows, size_t indent) {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line(indent, ' ');
    for (size_t c = 0; c < row.size(); ++c) {
      if (c == 0)
        line += fmt::format("{:<{}}", row[c], widths[c]);
      else
        line += fmt::format("  {:>{}}", row[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string wrapped(std::string_view text, size_t columns, size_t indent) {
  std::string result;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    size_t room = columns, least = indent;  // a break at or before `least` would gain nothing
    while (line.size() > room) {
      size_t space = line.rfind(' ', room);
      if (space != std::string_view::npos && line.substr(space + 1).starts_with('%'))
        space = line.rfind(' ', space - 1);
      if (space == std::string_view::npos || space <= least) break;
      result += fmt::format("{}\n{:{}}", line.substr(0, space), "", indent);
      line.remove_prefix(space + 1);
      room = columns - std::min(columns, indent);
      least = 0;
    }
    result += fmt::format("{}\n", line);
  }
  return result;
}

}  // namespace pipewright
