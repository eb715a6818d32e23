#include "report/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

std::string percent(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

std::string human_number(double n) {
  if (std::abs(n) < 1000 || std::abs(n) >= 1e15) return fmt::format("{:.4g}", n);
  std::string digits = fmt::format("{:.0f}", n);
  const size_t sign = digits[0] == '-';
  for (size_t left = digits.size(); left > sign + 3; left -= 3) digits.insert(left - 3, ",");
  return digits;
}

std::string human_rate(double rate, const char* unit) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t k = 0;
  while (std::abs(rate) >= 1000 && k + 1 < std::size(prefixes)) rate /= 1000, ++k;
  return fmt::format("{:.4g} {}{}", rate, prefixes[k], unit);
}

std::string counted(int64_t n, std::string_view noun) {
  const char* plural = n == 1 ? "" : noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", human_number(static_cast<double>(n)), noun, plural);
}

}  // namespace pipewright
