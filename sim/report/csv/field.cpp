#include "report/csv/field.hpp"

#include <fmt/format.h>

#include <charconv>

namespace pipewright {

namespace {

/// A spreadsheet would run what begins so, unless it is a number.
bool is_formula(std::string_view text) {
  if (text.empty() || std::string_view("=+-@\t\r").find(text.front()) == std::string_view::npos)
    return false;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return at != end || error != std::errc{};
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (is_formula(text)) return csv_field("'" + std::string(text));
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_field(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string{};
}

}  // namespace pipewright
