#include "interop/shell/word_reader.hpp"

#include <utility>

#include "interop/shell/expansion_reader.hpp"

namespace pipewright::shell {
namespace {

constexpr int deepest_word = 100;

}  // namespace

size_t placeholder_length(const Cursor& cursor) {
  if (cursor.peek() != '<' || !in_name(cursor.peek(1)) || is_digit(cursor.peek(1))) return 0;
  size_t end = 1;
  const std::string_view stops = "<>\n|;&";
  while (stops.find(cursor.peek(end)) == std::string_view::npos && cursor.peek(end) != '\0') ++end;
  return cursor.peek(end) == '>' && !is_blank(cursor.peek(end - 1)) ? end + 1 : 0;
}

WordReader::WordReader(Cursor& cursor, int depth) : cursor_(cursor), depth_(depth) {
  if (depth > deepest_word) Cursor::fail(cursor.place(), "this is nested too deeply");
}

bool WordReader::ends(std::string_view more) const {
  const char c = cursor_.peek();
  if (placeholder_length(cursor_) > 0) return false;
  return cursor_.at_end() || is_space(c) ||
         std::string_view(";&|()<>").find(c) != std::string_view::npos ||
         more.find(c) != std::string_view::npos;
}

Word WordReader::word(std::string_view more) {
  Word word{{}, cursor_.place()};
  while (!ends(more)) piece(word);
  return word;
}

Word WordReader::rest_quoted() {
  Word word{{}, cursor_.place()};
  while (!cursor_.at_end()) double_quoted_piece(word);
  return word;
}

void WordReader::piece(Word& word) {
  const char c = cursor_.peek();
  if (const size_t length = placeholder_length(cursor_); length > 0) {
    // Bash would split it; it stands for one word.
    for (size_t i = 0; i < length; ++i)
      literal(word, is_blank(cursor_.peek()) ? '_' : cursor_.peek(), true);
  } else if (c == '\\') {
    cursor_.step();
    if (cursor_.peek() == '\n')
      cursor_.step();
    else if (!cursor_.at_end())
      literal(word, cursor_.peek(), true);
  } else if (c == '\'') {
    single_quoted(word);
  } else if (c == '"') {
    double_quoted(word);
  } else if (c == '$') {
    dollar(word, false);
  } else if (c == '`') {
    word.parts.push_back(read_backtick(cursor_, depth_, false));
  } else {
    literal(word, c, false);
  }
}

/// Takes the next character as `c` of a text. A stretch goes on as long as nothing is left out.
void WordReader::literal(Word& word, char c, bool quoted) {
  const bool goes_on = literal_end_ == cursor_.offset() && !word.parts.empty() &&
                       word.parts.back().kind == Part::Kind::literal &&
                       word.parts.back().quoted == quoted && !word.parts.back().text.empty();
  if (goes_on) {
    word.parts.back().text += c;
  } else {
    Part part;
    part.text = c;
    part.place = cursor_.place();
    part.quoted = quoted;
    word.parts.push_back(std::move(part));
  }
  cursor_.step();
  literal_end_ = cursor_.offset();
}

void WordReader::single_quoted(Word& word) {
  Part part;
  part.quoted = true;
  const Place start = cursor_.place();
  cursor_.step();
  part.place = cursor_.place();
  const size_t from = cursor_.offset();
  while (!cursor_.at_end() && cursor_.peek() != '\'') cursor_.step();
  if (cursor_.at_end()) Cursor::fail(start, "this quote is not closed");
  part.text = cursor_.since(from);
  cursor_.step();
  word.parts.push_back(std::move(part));
}

/// $'...'.
void WordReader::ansi_quoted(Word& word) {
  Part part;
  part.quoted = true;
  part.place = cursor_.place();
  cursor_.step(2);
  while (!cursor_.at_end() && cursor_.peek() != '\'') {
    char c = cursor_.peek();
    if (c == '\\') {
      cursor_.step();
      c = cursor_.peek() == 'n' ? '\n' : cursor_.peek() == 't' ? '\t' : cursor_.peek();
    }
    part.text += c;
    cursor_.step();
  }
  if (cursor_.at_end()) Cursor::fail(part.place, "this quote is not closed");
  cursor_.step();
  word.parts.push_back(std::move(part));
}

void WordReader::double_quoted(Word& word) {
  const Place start = cursor_.place();
  cursor_.step();
  Part empty;  // "" is a word, too
  empty.quoted = true;
  empty.place = cursor_.place();
  word.parts.push_back(std::move(empty));
  while (!cursor_.at_end() && cursor_.peek() != '"') double_quoted_piece(word);
  if (cursor_.at_end()) Cursor::fail(start, "this quote is not closed");
  cursor_.step();
}

void WordReader::double_quoted_piece(Word& word) {
  const char c = cursor_.peek();
  if (c == '$') return dollar(word, true);
  if (c == '`') {
    word.parts.push_back(read_backtick(cursor_, depth_, true));
    return;
  }
  if (c == '\\') {
    const char next = cursor_.peek(1);
    if (next == '\n') return cursor_.step(2);
    if (next != '\0' && std::string_view("$`\"\\").find(next) != std::string_view::npos) {
      cursor_.step();
      return literal(word, next, true);
    }
  }
  literal(word, c, true);
}

void WordReader::dollar(Word& word, bool quoted) {
  const char next = cursor_.peek(1);
  if (next == '\'' && !quoted) return ansi_quoted(word);
  if (next == '"' && !quoted) return cursor_.step();
  if (std::optional<Part> part = read_expansion(cursor_, depth_, quoted))
    word.parts.push_back(std::move(*part));
  else
    literal(word, '$', quoted);
}

Word WordReader::until(char end, bool quoted) {
  Word word{{}, cursor_.place()};
  while (!cursor_.at_end() && cursor_.peek() != end) {
    if (quoted && cursor_.peek() != '"')
      double_quoted_piece(word);
    else
      piece(word);
  }
  if (cursor_.at_end()) Cursor::fail(word.place, std::string("a '") + end + "' is missing");
  cursor_.step();
  return word;
}

Word WordReader::until_closed() {
  int open = 0;
  Word word{{}, cursor_.place()};
  while (!cursor_.at_end() && (open > 0 || !cursor_.sees("))"))) {
    if (cursor_.peek() == '(') ++open;
    if (cursor_.peek() == ')') --open;
    double_quoted_piece(word);
  }
  return word;
}

Word read_quoted(std::string_view text, const Place& place) {
  Cursor cursor(text, place);
  return WordReader(cursor, 0).rest_quoted();
}

}  // namespace pipewright::shell
