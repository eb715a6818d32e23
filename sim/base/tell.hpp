// What is said to the user beside a command's output.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace pipewright {

/// Writes a formatted text to standard error. Where that is closed or full nothing is said: it is
/// no reason to end the work.
template <class... T>
void tell(fmt::format_string<T...> format, T&&... values) {
  const std::string text = fmt::format(format, std::forward<T>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace pipewright
