#include "interop/shell/expander.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "interop/shell/cursor.hpp"
#include "interop/shell/pattern.hpp"

namespace pipewright::shell {
namespace {

constexpr size_t longest_text = 4'000'000, most_words = 200'000;

[[noreturn]] void fail_size(const Place& place) {
  Cursor::fail(place, "this grows beyond what a command line can hold");
}

size_t size_of(const Text& text) {
  size_t size = 0;
  for (const Piece& piece : text) size += piece.text.size() + 1;
  return size;
}

bool is_empty(const Text& text) {
  const std::optional<std::string> value = known(text);
  return value && value->empty();
}

}  // namespace

/// The words that come of one.
struct Expander::Fields {
  std::vector<Text> done;
  Text current;
  bool splits = true, started = false, has_empty_list = false;
  size_t size = 0;

  /// "${LIST[@]}" of an empty list is no word.
  bool vanishes() const {
    return has_empty_list && std::all_of(current.begin(), current.end(), [](const Piece& piece) {
             return piece.text.empty() && !piece.unknown;
           });
  }

  void finish() {
    if (!started) return;
    if (vanishes()) {
      current.clear();
      started = false;
      return;
    }
    done.push_back(std::move(current));
    current.clear();
    started = false;
    if (done.size() > most_words) fail_size(place_of(done.back(), {}));
  }

  void add(const Piece& piece) {
    size += piece.text.size() + 1;
    if (size > longest_text) fail_size(piece.place);
    if (!splits || piece.quoted || piece.unknown) {
      current.push_back(piece);
      started = true;
      return;
    }
    split(piece);
  }

  void split(const Piece& piece) {
    size_t at = 0;
    while (at < piece.text.size()) {
      const size_t end = std::min(piece.text.find_first_of(" \t\n\r", at), piece.text.size());
      if (end > at) {
        current.push_back({piece.text.substr(at, end - at), place_in(piece, at), false, nullptr});
        started = true;
      }
      if (end < piece.text.size()) finish();
      at = end + 1;
    }
  }

  void add(Text text, bool quoted) {
    for (Piece& piece : text) {
      piece.quoted = quoted;
      add(piece);
    }
    if (quoted) started = true;
  }
};

std::vector<Text> Expander::words(const Word& word) {
  Fields fields;
  for (const Part& one : word.parts) part(one, fields);
  fields.finish();
  return std::move(fields.done);
}

std::vector<Text> Expander::words(const std::vector<Word>& all) {
  std::vector<Text> result;
  size_t size = 0;
  for (const Word& word : all) {
    for (Text& text : words(word)) {
      size += size_of(text);
      result.push_back(std::move(text));
    }
    if (size > longest_text || result.size() > most_words) fail_size(word.place);
  }
  return result;
}

Text Expander::text(const Word& word) {
  Fields fields;
  fields.splits = false;
  for (const Part& one : word.parts) part(one, fields);
  Text joined;
  fields.finish();
  for (const Text& field : fields.done) {
    if (!joined.empty()) joined.push_back({" ", place_of(field, word.place), false, nullptr});
    joined.insert(joined.end(), field.begin(), field.end());
  }
  return joined;
}

void Expander::part(const Part& part, Fields& fields) {
  switch (part.kind) {
    case Part::Kind::literal: {
      // What is written as one word is one word; only values are split.
      const bool splits = std::exchange(fields.splits, false);
      fields.add({part.text, part.place, part.quoted, nullptr});
      fields.splits = splits;
      break;
    }
    case Part::Kind::parameter:
      parameter(part, fields);
      break;
    case Part::Kind::command:
      fields.add(substitutions_.output_of(part), part.quoted);
      break;
    case Part::Kind::arithmetic:
      fields.add(arithmetic(part), part.quoted);
      break;
  }
}

bool Expander::is_list(const Parameter& parameter) const {
  if (parameter.sigil == '#') return false;
  if (parameter.name == "@" || parameter.name == "*") return true;
  if (!parameter.indexed || parameter.index.front().parts.size() != 1) return false;
  const std::string& index = parameter.index.front().parts.front().text;
  return index == "@" || index == "*";
}

void Expander::parameter(const Part& part, Fields& fields) {
  if (!is_list(part.parameter)) {
    fields.add(value(part), part.quoted);
    return;
  }
  bool first = true;
  std::vector<Text> elements = list(part);
  fields.has_empty_list = fields.has_empty_list || elements.empty();
  for (Text& element : elements) {
    if (!std::exchange(first, false)) fields.finish();
    fields.add(std::move(element), part.quoted);
  }
}

std::vector<Text> Expander::elements(const Part& part) {
  const Parameter& parameter = part.parameter;
  if (parameter.name == "@" || parameter.name == "*") return environment_.positional;
  std::vector<Text> all;
  const Variable* variable = environment_.find(parameter.name);
  if (!variable) return {environment_.value_of(parameter.name, part.place)};
  for (const auto& [name, text] : variable->elements)
    all.push_back(parameter.sigil == '!' ? text_of(name, part.place) : text);
  return all;
}

std::vector<Text> Expander::list(const Part& part) {
  std::vector<Text> all = elements(part);
  const std::string& operation = part.parameter.operation;
  if (operation == ":") return all;
  const bool is_default = operation.find_first_of("-=+?") != std::string::npos;
  if (is_default) {
    const bool nothing = all.empty() || (all.size() == 1 && unknown_in(all[0]));
    if (operation.ends_with('+'))
      return nothing ? std::vector<Text>{} : words(part.parameter.argument);
    return nothing ? words(part.parameter.argument) : all;
  }
  if (!operation.empty())
    for (Text& element : all) element = changed(part, element);
  return all;
}

Text Expander::value(const Part& part) {
  const Parameter& parameter = part.parameter;
  if (parameter.sigil == '#' && !parameter.name.empty()) {
    const bool counts = parameter.indexed || parameter.name == "@" || parameter.name == "*";
    Part inner = part;
    inner.parameter.sigil = '\0';
    if (counts) return text_of(std::to_string(elements(inner).size()), part.place);
    const std::optional<std::string> text = known(value(inner));
    if (!text) return text_of(Unknown{part.text, {}, false}, part.place);
    return text_of(std::to_string(text->size()), part.place);
  }
  return operate(part, plain_value(part));
}

Text Expander::plain_value(const Part& part) {
  const Parameter& parameter = part.parameter;
  if (parameter.indexed) return indexed_value(part);
  if (parameter.name.empty() || !in_name(parameter.name[0]) || is_digit(parameter.name[0]))
    return special(part);
  Text text = environment_.value_of(parameter.name, part.place);
  if (parameter.sigil != '!') return text;
  const std::optional<std::string> other = known(text);
  if (!other || other->empty())
    return text_of(Unknown{part.text, parameter.name, false}, part.place);
  return environment_.value_of(*other, part.place);
}

Text Expander::special(const Part& part) {
  const std::string& name = part.parameter.name;
  if (name == "#") return text_of(std::to_string(environment_.positional.size()), part.place);
  if (name == "0") return environment_.script;
  if (name == "?") return text_of("0", part.place);
  if (!is_digit(name.empty() ? '\0' : name[0]))
    return text_of(Unknown{part.text, {}, false}, part.place);
  const size_t position = std::stoul("0" + name.substr(0, 4));
  if (position <= environment_.positional.size()) return environment_.positional[position - 1];
  return environment_.value_of(name, part.place);
}

std::string Expander::key(const Part& part, const Variable* variable) {
  const Text index = text(part.parameter.index);
  const std::optional<std::string> written_key = known(index);
  if (!written_key) return {};
  if (variable && variable->is_map) return *written_key;
  const Amount amount = evaluate(*written_key, part.place, environment_);
  const int64_t size = variable ? static_cast<int64_t>(variable->elements.size()) : 0;
  return amount.unknown ? std::string()
                        : std::to_string(amount.value < 0 ? size + amount.value : amount.value);
}

Text Expander::indexed_value(const Part& part) {
  const std::string& name = part.parameter.name;
  if (name == "BASH_SOURCE") return environment_.script;
  const Variable* variable = environment_.find(name);
  if (!variable) return environment_.value_of(name, part.place);
  const std::string at = key(part, variable);
  if (at.empty()) return text_of(Unknown{part.text, {}, false}, part.place);
  for (const auto& [element, text] : variable->elements)
    if (element == at) return text;
  return {};
}

Text Expander::operate(const Part& part, Text value) {
  const std::string& operation = part.parameter.operation;
  if (operation.empty()) return value;
  if (operation == ":" || operation.find_first_of("-=+?") == std::string::npos)
    return changed(part, value);
  return substituted(part, std::move(value));
}

/// ${NAME:-...} and its like.
Text Expander::substituted(const Part& part, Text value) {
  const std::string& operation = part.parameter.operation;
  const auto reason = unknown_in(value);
  const bool is_unset = is_empty(value) && reason;
  const bool nothing = operation.starts_with(':') ? is_empty(value) : is_unset;
  if (operation.ends_with('+')) return nothing ? Text{} : text(part.parameter.argument);
  if (!nothing || operation.ends_with('?')) return value;
  Text otherwise = text(part.parameter.argument);
  if (operation.ends_with('=') && !part.parameter.indexed)
    environment_.set(part.parameter.name, otherwise);
  return otherwise;
}

/// What patterns and cases make of a value.
Text Expander::changed(const Part& part, const Text& value) {
  const std::optional<std::string> whole = known(value);
  if (!whole || (whole->empty() && unknown_in(value))) return value;
  const std::string& operation = part.parameter.operation;
  const Place place = place_of(value, part.place);
  if (operation == ":") return substring(part, *whole);
  if (operation == "^^" || operation == ",,") {
    std::string cased = *whole;
    for (char& c : cased)
      c = static_cast<char>(operation == "^^" ? std::toupper(static_cast<unsigned char>(c))
                                              : std::tolower(static_cast<unsigned char>(c)));
    return text_of(cased, place);
  }
  const std::optional<std::string> argument = known(text(part.parameter.argument));
  if (!argument || operation == "@" || operation == "^" || operation == ",")
    return text_of(Unknown{part.text, {}, false}, part.place);
  if (operation[0] == '#')
    return text_of(without_prefix(*whole, *argument, operation.size() > 1), place);
  if (operation[0] == '%')
    return text_of(without_suffix(*whole, *argument, operation.size() > 1), place);
  const size_t slash = std::min(argument->find('/'), argument->size());
  const std::string by = slash < argument->size() ? argument->substr(slash + 1) : std::string();
  return text_of(replaced(*whole, argument->substr(0, slash), by, operation == "//"), place);
}

/// ${NAME:OFFSET:LENGTH}.
Text Expander::substring(const Part& part, const std::string& value) {
  const std::optional<std::string> argument = known(text(part.parameter.argument));
  if (!argument) return text_of(Unknown{part.text, {}, false}, part.place);
  const size_t colon = std::min(argument->find(':'), argument->size());
  const auto size = static_cast<int64_t>(value.size());
  const Amount offset = evaluate(argument->substr(0, colon), part.place, environment_);
  Amount length{size, nullptr};
  if (colon < argument->size())
    length = evaluate(argument->substr(colon + 1), part.place, environment_);
  if (offset.unknown || length.unknown) return text_of(Unknown{part.text, {}, false}, part.place);
  const int64_t from =
      std::clamp<int64_t>(offset.value < 0 ? size + offset.value : offset.value, 0, size);
  const int64_t to = std::clamp<int64_t>(
      length.value < 0 ? size + length.value : from + std::min(length.value, size), from, size);
  return text_of(value.substr(static_cast<size_t>(from), static_cast<size_t>(to - from)),
                 part.place);
}

Text Expander::arithmetic(const Part& part) {
  const Text expression = text(part.parameter.argument);
  const std::optional<std::string> whole = known(expression);
  const auto reason = unknown_in(expression);
  if (!whole || reason) return text_of(*reason, part.place);
  const Amount amount = evaluate(*whole, part.place, environment_);
  return amount.unknown ? text_of(*amount.unknown, part.place)
                        : text_of(std::to_string(amount.value), part.place);
}

}  // namespace pipewright::shell
