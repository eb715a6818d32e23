#include "interop/shell/value_change.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "interop/shell/pattern.hpp"

namespace pipewright::shell {
namespace {

std::string cased(std::string text, bool upper) {
  for (char& c : text) {
    const auto letter = static_cast<unsigned char>(c);
    c = static_cast<char>(upper ? std::toupper(letter) : std::tolower(letter));
  }
  return text;
}

/// ${NAME:OFFSET:LENGTH}.
Text substring(const Part& part, const std::string& value, const std::string& argument,
               Variables& variables) {
  const std::optional<Slice> range = slice_of(argument, value.size(), part.place, variables);
  if (!range) return not_known(part);
  return text_of(value.substr(range->from, range->to - range->from), part.place);
}

/// ${NAME#PATTERN}, ${NAME%PATTERN}, ${NAME/PATTERN/TEXT}, and each with its sign twice.
std::string cut(const std::string& value, const std::string& operation,
                const std::string& argument) {
  const bool twice = operation.size() > 1;
  if (operation[0] == '#') return without_prefix(value, argument, twice);
  if (operation[0] == '%') return without_suffix(value, argument, twice);
  const size_t slash = std::min(argument.find('/'), argument.size());
  const std::string by = slash < argument.size() ? argument.substr(slash + 1) : std::string();
  return replaced(value, argument.substr(0, slash), by, operation == "//");
}

}  // namespace

Text not_known(const Part& part, std::string name) {
  return text_of(Unknown{part.text, std::move(name), false}, part.place);
}

std::optional<Slice> slice_of(const std::string& text, size_t count, const Place& place,
                              Variables& variables) {
  const size_t colon = std::min(text.find(':'), text.size());
  const auto size = static_cast<int64_t>(count);
  const Amount offset = evaluate(text.substr(0, colon), place, variables);
  Amount length{size, nullptr};
  if (colon < text.size()) length = evaluate(text.substr(colon + 1), place, variables);
  if (offset.unknown || length.unknown) return std::nullopt;
  const int64_t from =
      std::clamp<int64_t>(offset.value < 0 ? size + offset.value : offset.value, 0, size);
  const int64_t to = std::clamp<int64_t>(
      length.value < 0 ? size + length.value : from + std::min(length.value, size), from, size);
  return Slice{static_cast<size_t>(from), static_cast<size_t>(to)};
}

Text changed(const Part& part, const Text& value, Expander& expander) {
  const std::optional<std::string> whole = known(value);
  if (!whole || (whole->empty() && unknown_in(value))) return value;
  const std::string& operation = part.parameter.operation;
  const Place place = place_of(value, part.place);
  if (operation == "^^" || operation == ",,")
    return text_of(cased(*whole, operation == "^^"), place);
  const std::optional<std::string> argument = known(expander.text(part.parameter.argument));
  if (!argument || operation == "@" || operation == "^" || operation == ",") return not_known(part);
  if (operation == ":") return substring(part, *whole, *argument, expander.environment());
  return text_of(cut(*whole, operation, *argument), place);
}

}  // namespace pipewright::shell
