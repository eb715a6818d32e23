#include "report/json/document.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json/layout.hpp"

namespace pipewright {

using Json = nlohmann::ordered_json;

namespace {

/// The number that all of `text` is, if it is one.
template <class Number>
std::optional<Number> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number n{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

Json scalar(const config::Value& value) {
  const std::string& text = value.text;
  if (value.quoted) return text;
  if (text == "true" || text == "false") return text == "true";
  if (const auto n = number<int64_t>(text)) return *n;
  // "inf" and "nan" are numbers to the reader, but not to JSON.
  if (const auto n = number<double>(text); n && std::isfinite(*n)) return *n;
  return text;
}

}  // namespace

Json document_json(const config::Value& value) {
  switch (value.kind) {
    case config::Value::Kind::null:
      return nullptr;
    case config::Value::Kind::scalar:
      return scalar(value);
    case config::Value::Kind::list: {
      Json list = Json::array();
      for (const config::Value& item : value.items) list.push_back(document_json(item));
      return list;
    }
    case config::Value::Kind::map: {
      Json map = Json::object();
      for (const config::Entry& entry : value.entries) map[entry.key] = document_json(entry.value);
      return map;
    }
  }
  return nullptr;
}

std::string json_text(const config::Value& document) { return laid_out(document_json(document)); }

}  // namespace pipewright
