#include "report/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace pipewright {

std::string aligned(const std::vector<std::vector<std::string>>& rows, size_t indent, size_t gap) {
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
        line += fmt::format("{:{}}{:>{}}", "", gap, row[c], widths[c]);
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

/// The longest of what stands between `breaks`.
size_t longest_part(std::string_view cell, std::string_view breaks) {
  if (stays_whole(cell)) return cell.size();
  size_t longest = 0;
  while (!cell.empty()) {
    const size_t part = std::min(cell.find_first_of(breaks), cell.size());
    const size_t hyphen = part < cell.size() && cell[part] != ' ' ? 1 : 0;
    longest = std::max(longest, part + hyphen);
    cell.remove_prefix(std::min(cell.size(), part + 1));
  }
  return longest;
}

size_t longest_word(std::string_view cell) { return longest_part(cell, " "); }
size_t longest_syllable(std::string_view cell) { return longest_part(cell, " -."); }

std::vector<size_t> widths_of(std::span<const Cells> rows, size_t (*width)(std::string_view)) {
  std::vector<size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  return widths;
}

/// Takes what is beyond `room` from the widest columns that can give. Tells whether that is enough.
bool narrow(std::vector<size_t>& widths, const std::vector<size_t>& least, size_t room,
            size_t gap) {
  for (;;) {
    size_t sum = gap * (widths.size() - 1), widest = widths.size();
    for (size_t c = 0; c < widths.size(); ++c) {
      sum += widths[c];
      if (widths[c] > least[c] && (widest == widths.size() || widths[c] > widths[widest]))
        widest = c;
    }
    if (sum <= room || widest == widths.size()) return sum <= room;
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
    const size_t hyphen = width > 0 ? rest.find_last_of("-.", width - 1) : std::string_view::npos;
    const bool at_space = space != std::string_view::npos && space > 0;
    if (!at_space && (hyphen == std::string_view::npos || hyphen == 0)) break;
    lines.emplace_back(rest.substr(0, at_space ? space : hyphen + 1));
    rest.remove_prefix((at_space ? space : hyphen) + 1);
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
  const std::vector<size_t> whole = widths_of(rows, size);
  if (whole.empty()) return aligned(rows, indent);
  const std::vector<size_t> least = widths_of(rows, longest_word);
  const size_t room = columns - std::min(columns, indent);
  size_t gap = 2;
  std::vector<size_t> widths = whole;
  if (!narrow(widths, least, room, gap)) {
    gap = 1;
    widths = whole;
    if (!narrow(widths, least, room, gap))
      narrow(widths, widths_of(rows, longest_syllable), room, gap);
  }
  std::vector<Cells> broken = broken_rows(rows, widths);
  align_left(broken, widths, widths_of(std::span(rows).subspan(1), size));
  return aligned(broken, indent, gap);
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
