#include "interop/shell/parameter_value.hpp"

#include <algorithm>

#include "interop/shell/cursor.hpp"
#include "interop/shell/value_change.hpp"

namespace pipewright::shell {
namespace {

bool is_all(const std::string& name) { return name == "@" || name == "*"; }

bool is_empty(const Text& text) {
  const std::optional<std::string> value = known(text);
  return value && value->empty();
}

/// Returns whether an operation is ${NAME:-...} or its like.
bool is_default(const std::string& operation) {
  return operation != ":" && operation.find_first_of("-=+?") != std::string::npos;
}

std::vector<Text> elements(const Part& part, Environment& environment) {
  const Parameter& parameter = part.parameter;
  if (is_all(parameter.name)) return environment.positional;
  std::vector<Text> all;
  const Variable* variable = environment.find(parameter.name);
  if (!variable) return {environment.value_of(parameter.name, part.place)};
  for (const auto& [name, text] : variable->elements)
    all.push_back(parameter.sigil == '!' ? text_of(name, part.place) : text);
  return all;
}

/// Tells whether `name` is that of an argument which is not there.
bool is_beyond_arguments(const std::string& name, const Environment& environment) {
  return environment.has_all_arguments && !name.empty() && is_digit(name[0]) && name != "0" &&
         std::stoul("0" + name.substr(0, 4)) > environment.positional.size();
}

/// $#, $0, $1 and so on.
Text special(const Part& part, Environment& environment) {
  const std::string& name = part.parameter.name;
  if (name == "#") return text_of(std::to_string(environment.count_arguments()), part.place);
  if (name == "0") return environment.script;
  if (name == "?") return text_of("0", part.place);
  if (!is_digit(name.empty() ? '\0' : name[0])) return not_known(part);
  const size_t position = std::stoul("0" + name.substr(0, 4));
  if (position <= environment.positional.size()) return environment.positional[position - 1];
  if (is_beyond_arguments(name, environment)) return {};
  const std::string original = std::to_string(position + environment.shifted);
  return environment.value_of(original, part.place);
}

/// Returns the key of ${NAME[INDEX]}, or nothing where it is not known.
std::string key_of(const Part& part, const Variable& variable, Expander& expander) {
  const std::optional<std::string> index = known(expander.text(part.parameter.index));
  if (!index) return {};
  if (variable.is_map) return *index;
  const Amount amount = evaluate(*index, part.place, expander.environment());
  if (amount.unknown) return {};
  const auto size = static_cast<int64_t>(variable.elements.size());
  return std::to_string(amount.value < 0 ? size + amount.value : amount.value);
}

Text indexed(const Part& part, Expander& expander) {
  const std::string& name = part.parameter.name;
  if (name == "BASH_SOURCE") return expander.environment().script;
  const Variable* variable = expander.environment().find(name);
  if (!variable) return expander.environment().value_of(name, part.place);
  const std::string key = key_of(part, *variable, expander);
  if (key.empty()) return not_known(part);
  for (const auto& [element, text] : variable->elements)
    if (element == key) return text;
  return {};
}

/// The value before an operation changes it.
Text plain_value(const Part& part, Expander& expander) {
  const Parameter& parameter = part.parameter;
  Environment& environment = expander.environment();
  if (parameter.indexed) return indexed(part, expander);
  if (parameter.name.empty() || !in_name(parameter.name[0]) || is_digit(parameter.name[0]))
    return special(part, environment);
  Text text = environment.value_of(parameter.name, part.place);
  if (parameter.sigil != '!') return text;
  const std::optional<std::string> other = known(text);
  if (!other || other->empty()) return not_known(part, parameter.name);
  return environment.value_of(*other, part.place);
}

/// ${#NAME}, and how many ${#LIST[@]} has.
Text length_of(const Part& part, Expander& expander) {
  Part inner = part;
  inner.parameter.sigil = '\0';
  if (is_list(inner.parameter)) {
    const std::vector<Text> all = elements(inner, expander.environment());
    const bool is_known = std::none_of(all.begin(), all.end(), may_be_several);
    return is_known ? text_of(std::to_string(all.size()), part.place) : not_known(part);
  }
  const std::optional<std::string> text = known(value_of(inner, expander));
  return text ? text_of(std::to_string(text->size()), part.place) : not_known(part);
}

/// ${NAME:-...} and its like.
Text defaulted(const Part& part, Text value, Expander& expander) {
  const std::string& operation = part.parameter.operation;
  const bool is_unset = (is_empty(value) && unknown_in(value)) ||
                        is_beyond_arguments(part.parameter.name, expander.environment());
  const bool nothing = operation.starts_with(':') ? is_empty(value) : is_unset;
  if (operation.ends_with('+')) return nothing ? Text{} : expander.text(part.parameter.argument);
  if (!nothing || operation.ends_with('?')) return value;
  Text otherwise = expander.text(part.parameter.argument);
  if (operation.ends_with('=') && !part.parameter.indexed)
    expander.environment().set(part.parameter.name, otherwise);
  return otherwise;
}

/// ${LIST[@]:OFFSET:LENGTH}. The script itself stands before its arguments. All of the list stays
/// where the range is not known.
std::vector<Text> sliced(const Part& part, std::vector<Text> all, Expander& expander) {
  const std::optional<std::string> argument = known(expander.text(part.parameter.argument));
  if (is_all(part.parameter.name)) all.insert(all.begin(), expander.environment().script);
  const auto range =
      argument ? slice_of(*argument, all.size(), part.place, expander.environment()) : std::nullopt;
  if (!range) return all;
  const auto at = [&](size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  return {at(range->from), at(range->to)};
}

std::vector<Text> defaulted_list(const Part& part, std::vector<Text> all, Expander& expander) {
  const bool nothing = all.empty() || (all.size() == 1 && unknown_in(all[0]));
  if (part.parameter.operation.ends_with('+'))
    return nothing ? std::vector<Text>{} : expander.words(part.parameter.argument);
  return nothing ? expander.words(part.parameter.argument) : all;
}

}  // namespace

bool is_list(const Parameter& parameter) {
  if (parameter.sigil == '#') return false;
  if (is_all(parameter.name)) return true;
  if (!parameter.indexed || parameter.index.front().parts.size() != 1) return false;
  return is_all(parameter.index.front().parts.front().text);
}

bool is_one_word(const Part& part) {
  const Parameter& parameter = part.parameter;
  if (!part.quoted || !is_list(parameter)) return false;
  return parameter.indexed ? parameter.index.front().parts.front().text == "*"
                           : parameter.name == "*";
}

Text joined(const std::vector<Text>& words, const Place& place, Environment& environment) {
  const Variable* const ifs = environment.find("IFS");
  const std::string between = ifs ? written(environment.value_of("IFS", place)).substr(0, 1) : " ";
  Text text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text.push_back({between, place, true, nullptr});
    text.insert(text.end(), words[i].begin(), words[i].end());
  }
  return text;
}

std::vector<Text> list_of(const Part& part, Expander& expander) {
  std::vector<Text> all = elements(part, expander.environment());
  const std::string& operation = part.parameter.operation;
  if (operation.empty()) return all;
  if (operation == ":") return sliced(part, std::move(all), expander);
  if (is_default(operation)) return defaulted_list(part, std::move(all), expander);
  for (Text& element : all) element = changed(part, element, expander);
  return all;
}

Text value_of(const Part& part, Expander& expander) {
  const Parameter& parameter = part.parameter;
  if (parameter.sigil == '#' && !parameter.name.empty()) return length_of(part, expander);
  Text value = plain_value(part, expander);
  if (parameter.operation.empty()) return value;
  return is_default(parameter.operation) ? defaulted(part, std::move(value), expander)
                                         : changed(part, value, expander);
}

}  // namespace pipewright::shell
