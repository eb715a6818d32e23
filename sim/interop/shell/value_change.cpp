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
  const size_t colon = std::min(argument.find(':'), argument.size());
  const auto size = static_cast<int64_t>(value.size());
  const Amount offset = evaluate(argument.substr(0, colon), part.place, variables);
  Amount length{size, nullptr};
  if (colon < argument.size()) length = evaluate(argument.substr(colon + 1), part.place, variables);
  if (offset.unknown || length.unknown) return not_known(part);
  const int64_t from =
      std::clamp<int64_t>(offset.value < 0 ? size + offset.value : offset.value, 0, size);
  const int64_t to = std::clamp<int64_t>(
      length.value < 0 ? size + length.value : from + std::min(length.value, size), from, size);
  return text_of(value.substr(static_cast<size_t>(from), static_cast<size_t>(to - from)),
                 part.place);
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
