#include "report/csv/field.hpp"

#include <fmt/format.h>

namespace pipewright {

std::string csv_field(std::string_view text) {
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
