// Numbers as ranges: "2, 8-15".
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace pipewright {

/// Writes ascending numbers, runs of them as "8-15", with `separator` between.
inline std::string number_ranges(const std::vector<int>& numbers, const char* separator = ", ") {
  std::string text;
  for (size_t first = 0; first < numbers.size();) {
    size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += text.empty() ? "" : separator;
    text += fmt::format("{}", numbers[first]);
    if (last > first) text += fmt::format("-{}", numbers[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace pipewright
