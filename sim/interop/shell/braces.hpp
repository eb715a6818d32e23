// Brace expansion: what Bash makes of {a,b} and {0..8..2} before anything else in a word.
#pragma once

#include <vector>

#include "interop/shell/syntax.hpp"

namespace pipewright::shell {

/// Tells whether `word` has an opening brace outside of quotes.
bool has_braces(const Word& word);

/// Returns the words that `word` is written for, in order; `word` alone where its braces are but
/// characters (Bash's manual, "Brace Expansion"). Throws InputError for more words than any script
/// means.
std::vector<Word> expand_braces(const Word& word);

}  // namespace pipewright::shell
