#include "convert/job/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/words.hpp"

namespace pipewright::job {
namespace {

using config::Value;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 32)
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      out += c;
  }
  return out + '"';
}

/// Tells whether a text is a number, a truth or a list as TOML has them.
bool is_literal(const std::string& text) {
  return text == "true" || text == "false" || text.starts_with('[') ||
         interop::number_of<double>(text).has_value();
}

std::string literal(const Value& value) {
  if (value.is_scalar())
    return value.quoted || !is_literal(value.text) ? quoted(value.text) : value.text;
  std::string text;
  for (const Value& item : value.items) text += (text.empty() ? "" : ", ") + literal(item);
  return '[' + text + ']';
}

void add_section(const Value& map, const std::string& name, std::string& text) {
  const bool has_values = std::ranges::any_of(map.entries, [](const config::Entry& entry) {
    return !entry.value.is_map() && !entry.value.is_null();
  });
  if (has_values && !name.empty()) text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", name);
  for (const config::Entry& entry : map.entries)
    if (!entry.value.is_map() && !entry.value.is_null())
      text += fmt::format("{} = {}\n", entry.key, literal(entry.value));
  for (const config::Entry& entry : map.entries)
    if (entry.value.is_map())
      add_section(entry.value, name.empty() ? entry.key : name + '.' + entry.key, text);
}

}  // namespace

std::string to_toml(const Value& document) {
  std::string text;
  add_section(document, {}, text);
  return text;
}

}  // namespace pipewright::job
