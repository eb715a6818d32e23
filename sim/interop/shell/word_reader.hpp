// Words of a script: what is plain, quoted or left out.
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
  /// Reads up to `end`, which is passed; `quoted`: as between double quotes.
  Word until(char end, bool quoted);
  /// Reads up to a `))` behind as many `)` as `(`, as between double quotes.
  Word until_closed();

 private:
  void piece(Word& word);
  void literal(Word& word, char c, bool quoted);
  void single_quoted(Word& word);
  void ansi_quoted(Word& word);
  void double_quoted(Word& word);
  void double_quoted_piece(Word& word);
  void dollar(Word& word, bool quoted);
  bool ends(std::string_view more) const;

  Cursor& cursor_;
  int depth_;
  size_t literal_end_ = std::string_view::npos;  ///< where the last literal ended
};

}  // namespace pipewright::shell
