// Text as a shell script makes it: pieces that remember where they were written, some of which
// only the machine knows on which the script runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace pipewright::shell {

struct Place {
  std::shared_ptr<const std::string> file;
  int line = 1, column = 1;
  Where where() const { return {file ? *file : std::string(), line, column}; }
};

/// What a script does not say itself.
struct Unknown {
  std::string written;  ///< as the script has it: ${NAME}, $(nproc)
  std::string name;     ///< the variable that would say it; empty where none would
  bool unset = false;   ///< a variable that nobody sets: an empty text, unless it is given
};

struct Piece {
  std::string text;
  Place place;
  bool quoted = false;  ///< never split into words
  std::shared_ptr<const Unknown> unknown;
};

using Text = std::vector<Piece>;

/// Returns the place of the character at `offset` of `piece`.
Place place_in(const Piece& piece, size_t offset);

/// Returns the text where all of it is known; variables that nobody sets count as empty.
std::optional<std::string> known(const Text& text);

/// Returns the text with what is not known as it was written.
std::string written(const Text& text);

/// Returns the first thing in `text` that is not known, those that nobody sets included, or null.
std::shared_ptr<const Unknown> unknown_in(const Text& text);

/// Returns whether a word may be several or none: nobody knows what $(...) prints, outside quotes.
bool may_be_several(const Text& word);

/// Returns how long the text is as it is written; what is not known counts at least as one
/// character.
size_t characters_in(const Text& text);

/// Returns the words from `from` on with blanks between them.
Text joined_by_blanks(const std::vector<Text>& words, size_t from, const Place& place);

Place place_of(const Text& text, const Place& otherwise);

Text text_of(std::string_view text, const Place& place, bool quoted = false);

/// Returns a text that only `unknown` stands for.
Text text_of(Unknown unknown, const Place& place);

}  // namespace pipewright::shell
