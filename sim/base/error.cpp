#include "base/error.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/text.hpp"

namespace pipewright {

std::string to_string(const Where& where) {
  std::string text = where.file;
  if (where.line > 0) {
    text += ':' + std::to_string(where.line);
    if (where.column > 0) text += ':' + std::to_string(where.column);
  }
  return text;
}

InputError::InputError(Where where, const std::string& message)
    : std::runtime_error(
          printable((where.file.empty() ? "" : to_string(where) + ": ") + "error: " + message)),
      where_(std::move(where)),
      message_(printable(message)) {}

void abort_with(const char* message) {
  std::fprintf(stderr, "internal error: %s\n", message);
  std::abort();
}

}  // namespace pipewright
