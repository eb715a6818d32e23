// The words and symbols of expressions and pass lists in a rules file.
#pragma once

#include <string_view>
#include <vector>

#include "config/value.hpp"

namespace pipewright::schedule::rules {

struct Token {
  enum class Kind : uint8_t { number, name, symbol, end };
  Kind kind = Kind::end;
  std::string_view text;  ///< part of the text that was read
  int64_t number = 0;
  int at = 0;  ///< offset in that text

  bool is(std::string_view symbol_or_word) const { return text == symbol_or_word; }
};

/// Throws InputError at the character `at` of the scalar `text`.
[[noreturn]] void fail_at(const config::Value& text, int at, const std::string& message);

/// The fields of a map whose values are expressions. Throws InputError, also where YAML has taken
/// the commas of an expression for its own: {repeat: min(a, b)} without quotes.
config::Fields fields_of(const config::Value& map, const char* what,
                         std::initializer_list<std::string_view> known);

/// The tokens of a scalar, ended by one of Kind::end. They point into `text`.
std::vector<Token> tokens_of(const config::Value& text);

}  // namespace pipewright::schedule::rules
