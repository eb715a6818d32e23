#include "report/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

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

namespace {

using Cells = std::vector<std::string>;

/// "26.11 s", "+3 %": stays on one line.
bool stays_whole(std::string_view cell) {
  constexpr size_t longest = 14;
  return cell.size() <= longest && cell.find_first_of("0123456789") <= 1;
}

size_t longest_word(std::string_view cell) {
  if (stays_whole(cell)) return cell.size();
  size_t longest = 0;
  while (!cell.empty()) {
    const size_t word = std::min(cell.find(' '), cell.size());
    longest = std::max(longest, word);
    cell.remove_prefix(std::min(cell.size(), word + 1));
  }
  return longest;
}

std::vector<size_t> widths_of(std::span<const Cells> rows, size_t (*width)(std::string_view)) {
  std::vector<size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  return widths;
}

/// Takes what is beyond `room` from the widest columns that can give.
void narrow(std::vector<size_t>& widths, const std::vector<size_t>& least, size_t room) {
  for (;;) {
    size_t sum = 2 * (widths.size() - 1), widest = widths.size();
    for (size_t c = 0; c < widths.size(); ++c) {
      sum += widths[c];
      if (widths[c] > least[c] && (widest == widths.size() || widths[c] > widths[widest]))
        widest = c;
    }
    if (sum <= room || widest == widths.size()) return;
    --widths[widest];
  }
}

/// The lines of a cell in so many columns.
Cells cell_lines(const std::string& cell, size_t width) {
  if (cell.size() <= width) return {cell};
  Cells lines;
  std::string_view rest = cell;
  while (rest.size() > width) {
    const size_t space = rest.rfind(' ', width);
    if (space == std::string_view::npos || space == 0) break;
    lines.emplace_back(rest.substr(0, space));
    rest.remove_prefix(space + 1);
  }
  lines.emplace_back(rest);
  return lines;
}

/// The rows with what is broken on rows of their own.
std::vector<Cells> broken_rows(const std::vector<Cells>& rows, const std::vector<size_t>& widths) {
  std::vector<Cells> broken;
  for (const Cells& row : rows) {
    const size_t first = broken.size();
    for (size_t c = 0; c < row.size(); ++c) {
      const Cells lines = cell_lines(row[c], widths[c]);
      broken.resize(std::max(broken.size(), first + lines.size()));
      for (size_t k = 0; k < lines.size(); ++k) {
        Cells& line = broken[first + k];
        line.resize(std::max(line.size(), c + 1));
        line[c] = lines[k];
      }
    }
    if (row.empty()) broken.emplace_back();
  }
  return broken;
}

/// Puts the lines of columns whose cells had to give below each other from the left.
void align_left(std::vector<Cells>& rows, const std::vector<size_t>& widths,
                const std::vector<size_t>& of_cells) {
  for (Cells& row : rows)
    for (size_t c = 0; c < std::min(row.size(), of_cells.size()); ++c)
      if (widths[c] < of_cells[c]) row[c].resize(std::max(row[c].size(), widths[c]), ' ');
}

}  // namespace

std::string fitted(const std::vector<std::vector<std::string>>& rows, size_t indent,
                   size_t columns) {
  if (rows.empty()) return {};
  const auto size = [](std::string_view cell) { return cell.size(); };
  std::vector<size_t> widths = widths_of(rows, size);
  if (widths.empty()) return aligned(rows, indent);
  narrow(widths, widths_of(rows, longest_word), columns - std::min(columns, indent));
  std::vector<Cells> broken = broken_rows(rows, widths);
  align_left(broken, widths, widths_of(std::span(rows).subspan(1), size));
  return aligned(broken, indent);
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
