// What commands are made of: words, keywords, and the blanks between them.
#pragma once

#include <initializer_list>
#include <string_view>

#include "interop/shell/cursor.hpp"
#include "interop/shell/syntax.hpp"

namespace pipewright::shell {

class Tokens {
 public:
  /// Reads at `cursor`; `depth` counts what this is nested in.
  Tokens(Cursor& cursor, int depth);

  Cursor& cursor() { return cursor_; }
  /// Returns the tokens of what is nested here.
  Tokens inner() { return {cursor_, depth_ + 1}; }

  /// Returns whether the word `word` comes next, and not one that begins like it.
  bool sees_word(std::string_view word) const;
  bool sees_any(std::initializer_list<std::string_view> words) const;

  /// Passes blanks, lines that go on, and a comment.
  void pass_blanks();
  /// Passes line ends, too.
  void pass_space();
  /// Passes `word`, which must come next; what it ends began at `start`.
  void expect(std::string_view word, const Place& start);

  /// Reads a word that ends at one of `more`, too; it may be empty.
  Word word(std::string_view more = {});
  /// Reads a word; where there is none, `missing` says what is wrong.
  Word word_or_fail(const std::string& missing);

  /// Returns an empty node that begins here.
  Node node_of(Node::Kind kind) const;

 private:
  Cursor& cursor_;
  int depth_;
};

}  // namespace pipewright::shell
