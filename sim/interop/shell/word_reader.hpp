// Words of a script: quotes, parameters, substitutions.
#pragma once

#include "interop/shell/cursor.hpp"
#include "interop/shell/syntax.hpp"

namespace pipewright::shell {

/// Returns the length of `<what to write here>`, which documents leave in scripts, or 0.
size_t placeholder_length(const Cursor& cursor);

class WordReader {
 public:
  /// Reads at `cursor`; `depth` counts what this is nested in.
  WordReader(Cursor& cursor, int depth);

  /// Reads up to what ends a word outside quotes: a blank, an operator, or one of `more`.
  Word word(std::string_view more = {});
  /// Reads all that is left as between double quotes.
  Word rest_quoted();

 private:
  void piece(Word& word);
  void literal(Word& word, char c, bool quoted);
  void single_quoted(Word& word);
  void ansi_quoted(Word& word);
  void double_quoted(Word& word);
  void double_quoted_piece(Word& word);
  void dollar(Word& word, bool quoted);
  void braces(Part& part);
  void operation(Part& part);
  void substitution(Part& part);
  void arithmetic(Part& part);
  void backtick(Word& word, bool quoted);
  Word until(char end, bool quoted);
  bool ends(std::string_view more) const;

  Cursor& cursor_;
  int depth_;
  size_t literal_end_ = std::string_view::npos;  ///< where the last literal ended
};

/// Reads commands up to `)`, which is passed. Defined by the reader of commands.
std::vector<Node> read_substitution(Cursor& cursor, int depth);

}  // namespace pipewright::shell
