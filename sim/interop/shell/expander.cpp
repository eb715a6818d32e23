#include "interop/shell/expander.hpp"

#include <utility>

#include "interop/shell/braces.hpp"
#include "interop/shell/fields.hpp"
#include "interop/shell/parameter_value.hpp"

namespace pipewright::shell {
namespace {

size_t size_of(const Text& text) {
  size_t size = 0;
  for (const Piece& piece : text) size += piece.text.size() + 1;
  return size;
}

}  // namespace

std::vector<Text> Expander::fields_of(const Word& word) {
  Fields fields(true, separators_of(environment_));
  for (const Part& one : word.parts) part(one, fields);
  return fields.take();
}

std::vector<Text> Expander::words(const Word& word) {
  if (!has_braces(word)) return fields_of(word);
  std::vector<Text> result;
  for (const Word& one : expand_braces(word))
    for (Text& text : fields_of(one)) result.push_back(std::move(text));
  return result;
}

std::vector<Text> Expander::words(const std::vector<Word>& all) {
  std::vector<Text> result;
  size_t size = 0;
  for (const Word& word : all) {
    for (Text& text : words(word)) {
      size += size_of(text);
      result.push_back(std::move(text));
    }
    check_size(size, result.size(), word.place);
  }
  return result;
}

Text Expander::text(const Word& word) {
  Fields fields(false);
  for (const Part& one : word.parts) part(one, fields);
  Text joined;
  for (const Text& field : fields.take()) {
    if (!joined.empty()) joined.push_back({" ", place_of(field, word.place), false, nullptr});
    joined.insert(joined.end(), field.begin(), field.end());
  }
  return joined;
}

void Expander::part(const Part& part, Fields& fields) {
  switch (part.kind) {
    case Part::Kind::literal:
      fields.add_written({part.text, part.place, part.quoted, nullptr});
      break;
    case Part::Kind::parameter:
      if (is_one_word(part))
        fields.add_value(joined(list_of(part, *this), part.place, environment_), true);
      else if (is_list(part.parameter))
        fields.add_list(list_of(part, *this), part.quoted);
      else
        fields.add_value(value_of(part, *this), part.quoted);
      break;
    case Part::Kind::command:
      fields.add_value(substitutions_.output_of(part), part.quoted);
      break;
    case Part::Kind::arithmetic:
      fields.add_value(arithmetic(part), part.quoted);
      break;
  }
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
