#include "report/markdown/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright {
namespace {

/// Escapes what Markdown would read, and makes one space of several. The mark of a comment is left
/// out.
std::string in_markdown(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  constexpr std::string_view read = "\\`*|<[";
  std::string result;
  for (const char c : text) {
    if (c == ' ' && (result.empty() || result.back() == ' ')) continue;
    if (read.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  result.erase(result.find_last_not_of(' ') + 1);
  return result;
}

/// Returns each line with `mark` before it, empty ones without.
std::string marked(std::string_view text, std::string_view mark) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string words = in_markdown(line);
    result += words.empty() ? "\n" : fmt::format("{}{}\n", mark, words);
  }
  return result;
}

std::string pipe_row(const std::vector<std::string>& cells, size_t columns) {
  std::string line = "|";
  for (size_t c = 0; c < columns; ++c)
    line += fmt::format(" {} |", c < cells.size() ? in_markdown(cells[c]) : "");
  return line + '\n';
}

/// Tells whether all that stands in a column below its name begins as numbers do.
bool has_numbers(const TableRows& rows, size_t column) {
  constexpr std::string_view begins = "0123456789+-$";
  return std::all_of(rows.begin() + 1, rows.end(), [&](const std::vector<std::string>& row) {
    return column >= row.size() || row[column].empty() ||
           begins.find(row[column].front()) != std::string_view::npos;
  });
}

std::string pipe_table(const TableRows& rows) {
  size_t columns = 0;
  for (const std::vector<std::string>& row : rows) columns = std::max(columns, row.size());
  std::string text = pipe_row(rows.front(), columns) + "|---|";
  for (size_t c = 1; c < columns; ++c) text += has_numbers(rows, c) ? "---:|" : "---|";
  text += '\n';
  for (size_t r = 1; r < rows.size(); ++r) text += pipe_row(rows[r], columns);
  return text;
}

std::string markdown_part(const ReportPart& part) {
  switch (part.kind) {
    case ReportPart::Kind::heading:
      return {};
    case ReportPart::Kind::lines:
      return marked(part.text, "");
    case ReportPart::Kind::items:
      return marked(part.text, "- ");
    case ReportPart::Kind::table:
      return pipe_table(part.rows);
    case ReportPart::Kind::drawing:
      return fmt::format("```text\n{}```\n", part.text);
  }
  return {};
}

std::string_view without_empty_lines_around(std::string_view text) {
  const size_t begin = text.find_first_not_of('\n');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of('\n') + 1 - begin);
}

}  // namespace

std::string markdown_text(const Report& report) {
  std::string text = fmt::format("# {}\n", in_markdown(report.title()));
  for (const ReportPart& part : report.parts()) {
    const std::string form = markdown_part(part);
    const std::string_view words = without_empty_lines_around(form);
    if (!words.empty()) text += fmt::format("\n{}\n", words);
  }
  return text;
}

}  // namespace pipewright
