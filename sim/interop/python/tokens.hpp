// Python's text cut into tokens (docs.python.org/3/reference/lexical_analysis.html).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pipewright::interop::python {

struct Token {
  enum class Kind : uint8_t { name, number, text, mark, line_end, indent, dedent, end };
  Kind kind = Kind::end;
  std::string text;        ///< of a text: what it stands for, without quotes
  bool formatted = false;  ///< f"..." with something in braces
  int line = 1, column = 1;
  size_t begin = 0, end = 0;  ///< where it stands in the source
};

/// Returns the tokens of `source`; the last one is `end`. Throws InputError for what is none.
std::vector<Token> tokens_of(std::string_view source, const std::string& file);

}  // namespace pipewright::interop::python
