#include "convert/megatron/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/words.hpp"

namespace pipewright::megatron {

const Argument* find_argument(std::string_view name) {
  const std::span<const Argument> all = arguments();
  const auto found = std::lower_bound(
      all.begin(), all.end(), name,
      [](const Argument& argument, std::string_view wanted) { return argument.name < wanted; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

const Argument* complete_argument(std::string_view name) {
  const Argument* only = nullptr;
  for (const Argument& argument : arguments()) {
    if (argument.is_field || argument.from.empty() || !argument.name.starts_with(name)) continue;
    if (only) return nullptr;
    only = &argument;
  }
  return name.size() < 4 ? nullptr : only;
}

namespace {

bool has_line(std::string_view lines, std::string_view line) {
  while (!lines.empty())
    if (interop::take_line(lines) == line) return true;
  return false;
}

/// "a, b or c"
std::string alternatives(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::string_view line = interop::take_line(lines);
    text += fmt::format("{}{}", text.empty() ? "" : lines.empty() ? " or " : ", ", line);
  }
  return text;
}

/// Python takes digits in groups.
template <class Number>
bool is_number(std::string_view value) {
  std::string plain(value);
  std::erase(plain, '_');
  if (plain.starts_with('+')) plain.erase(0, 1);
  return interop::number_of<Number>(plain).has_value();
}

}  // namespace

std::string misfit_of(const Argument& argument, std::string_view value) {
  if (argument.type == Type::integer && !is_number<int64_t>(value)) return "a whole number";
  if (argument.type == Type::real && !is_number<double>(value)) return "a number";
  if (argument.choices.empty() || has_line(argument.choices, value)) return {};
  return alternatives(argument.choices);
}

bool is_of_today(const Argument& argument) {
  static constexpr std::string_view lasting = "num-layers";
  return argument.to == find_argument(lasting)->to && !argument.is_field;
}

bool is_harmless(const Argument& argument, std::string_view value) {
  return has_line(argument.unless, value);
}

}  // namespace pipewright::megatron
