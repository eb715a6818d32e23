#include <fmt/format.h>

#include <algorithm>

#include "schedule/rules/expression.hpp"

namespace pipewright::schedule::rules {
namespace {

constexpr std::string_view reserved[] = {"F",   "B",   "I",  "W",   "if",   "min",
                                         "max", "and", "or", "not", "true", "false"};
constexpr size_t most_names = 256;

void check_name(std::string_view name, const Where& where) {
  const auto is_part = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const bool sound = !name.empty() && std::ranges::all_of(name, is_part) &&
                     !(name.front() >= '0' && name.front() <= '9');
  if (!sound)
    throw InputError(where, fmt::format("'{}' must be a name: letters, digits and _", name));
  if (std::ranges::find(reserved, name) != std::end(reserved))
    throw InputError(where, fmt::format("'{}' has a meaning already; take another name", name));
}

/// "name" or "name(a, b)".
Function read_head(std::string_view head, const Where& where) {
  const config::Value text = config::scalar(head);
  std::vector<Token> tokens;
  try {
    tokens = tokens_of(text);
  } catch (const InputError& error) {
    throw InputError(where, fmt::format("'{}': {}", head, error.message()));
  }
  Function function;
  size_t next = 0;
  const auto take_name = [&](std::string& into) {
    if (tokens[next].kind != Token::Kind::name) return false;
    into = tokens[next++].text;
    return true;
  };
  bool sound = take_name(function.name);
  if (sound && tokens[next].is("(")) {
    do {
      ++next;
      sound = sound && take_name(function.arguments.emplace_back());
    } while (sound && tokens[next].is(","));
    sound = sound && tokens[next++].is(")");
  }
  if (!sound || tokens[next].kind != Token::Kind::end)
    throw InputError(where, fmt::format("'{}' must have the form name or name(a, b)", head));
  return function;
}

}  // namespace

Names::Names() : variables_(std::begin(variable::names), std::end(variable::names)) {}

void Names::check_free(std::string_view name, const Where& where) const {
  check_name(name, where);
  if (variable(name) || function(name))
    throw InputError(where, fmt::format("'{}' has a meaning already; take another name", name));
  if (variables_.size() + functions_.size() >= most_names)
    throw InputError(where, fmt::format("more than {} names", most_names));
}

int Names::add_variable(std::string_view name, const Where& where) {
  check_free(name, where);
  variables_.emplace_back(name);
  return static_cast<int>(variables_.size()) - 1;
}

int Names::add_counter(std::string_view name, const Where& where) {
  const std::optional<int> known = variable(name);
  if (known && std::ranges::find(counters_, *known) != counters_.end()) return *known;
  return counters_.emplace_back(add_variable(name, where));
}

void Names::add_function(std::string_view head, const Where& where, const config::Value& body) {
  Function function = read_head(head, where);
  check_free(function.name, where);
  if (function.arguments.size() > most_arguments)
    throw InputError(where, fmt::format("'{}' has more than {} arguments", head, most_arguments));
  for (const std::string& argument : function.arguments) {
    check_name(argument, where);  // it may hide a variable
    if (std::ranges::count(function.arguments, argument) > 1 || argument == function.name)
      throw InputError(where, fmt::format("'{}' is named twice in '{}'", argument, head));
  }
  function.body = parse_expression(body, *this, function.arguments);
  functions_.push_back(std::move(function));
}

std::optional<int> Names::variable(std::string_view name) const {
  const auto found = std::ranges::find(variables_, name);
  if (found == variables_.end()) return std::nullopt;
  return static_cast<int>(found - variables_.begin());
}

std::optional<int> Names::function(std::string_view name) const {
  const auto found = std::ranges::find(functions_, name, &Function::name);
  if (found == functions_.end()) return std::nullopt;
  return static_cast<int>(found - functions_.begin());
}

std::vector<std::string_view> Names::all() const {
  std::vector<std::string_view> names(variables_.begin(), variables_.end());
  for (const Function& function : functions_) names.push_back(function.name);
  names.insert(names.end(), {"min", "max", "if"});
  return names;
}

}  // namespace pipewright::schedule::rules
