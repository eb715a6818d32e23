#include "report/json/layout.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.hpp"

namespace pipewright {

using Json = nlohmann::ordered_json;

namespace {

/// Lists of plain values and small maps of them stand on one line.
bool fits_one_line(const Json& j) {
  if (std::any_of(j.begin(), j.end(), [](const Json& child) { return child.is_structured(); }))
    return false;
  return j.is_array() || dump_json(j).size() <= 90;
}

void write(const Json& j, size_t indent, std::string& text) {
  if (!j.is_structured()) {
    text += dump_json(j);
    return;
  }
  const bool one_line = fits_one_line(j);
  const std::string between = one_line ? ", " : ",\n" + std::string(indent + 2, ' ');
  text += j.is_array() ? '[' : '{';
  if (!one_line) text += between.substr(1);
  bool first = true;
  for (auto child = j.begin(); child != j.end(); ++child) {
    if (!first) text += between;
    first = false;
    if (j.is_object()) text += dump_json(Json(child.key())) + ": ";
    write(*child, indent + 2, text);
  }
  if (!one_line) text += '\n' + std::string(indent, ' ');
  text += j.is_array() ? ']' : '}';
}

}  // namespace

std::string laid_out(const Json& document) {
  std::string text;
  write(document, 0, text);
  return text + '\n';
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json range_or_null(const std::optional<TimeRange>& range) {
  if (!range) return nullptr;
  return {{"p10_s", range->p10_s}, {"p90_s", range->p90_s}};
}

}  // namespace pipewright
