#include "interop/shell/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/shell/word_reader.hpp"

namespace pipewright::shell {
namespace {

constexpr int deepest_nesting = 100;
constexpr std::string_view operator_letters = ";&|()<>";

}  // namespace

Tokens::Tokens(Cursor& cursor, int depth) : cursor_(cursor), depth_(depth) {
  if (depth > deepest_nesting) Cursor::fail(cursor.place(), "this is nested too deeply");
}

bool Tokens::sees_word(std::string_view word) const {
  if (!cursor_.sees(word)) return false;
  const char next = cursor_.peek(word.size());
  return !in_name(word.back()) || next == '\0' || is_space(next) ||
         operator_letters.find(next) != std::string_view::npos;
}

bool Tokens::sees_any(std::initializer_list<std::string_view> words) const {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return sees_word(word); });
}

void Tokens::pass_blanks() {
  while (!cursor_.at_end()) {
    if (is_blank(cursor_.peek()))
      cursor_.step();
    else if (cursor_.sees("\\\n"))
      cursor_.step(2);
    else if (cursor_.sees("\\\r\n"))
      cursor_.step(3);
    else if (cursor_.peek() != '#')
      return;
    else
      while (!cursor_.at_end() && cursor_.peek() != '\n') cursor_.step();
  }
}

void Tokens::pass_space() {
  for (pass_blanks(); cursor_.peek() == '\n'; pass_blanks()) cursor_.step();
}

void Tokens::expect(std::string_view word, const Place& start) {
  pass_space();
  if (!sees_word(word))
    Cursor::fail(cursor_.at_end() ? start : cursor_.place(), fmt::format("'{}' is missing", word));
  cursor_.step(word.size());
}

Word Tokens::word(std::string_view more) { return WordReader(cursor_, depth_ + 1).word(more); }

Word Tokens::word_or_fail(const std::string& missing) {
  Word next = word();
  if (next.parts.empty()) Cursor::fail(cursor_.place(), missing);
  return next;
}

Node Tokens::node_of(Node::Kind kind) const {
  return {kind, cursor_.place(), {}, {}, {}, {}, {}, {}};
}

}  // namespace pipewright::shell
