// Lines and words of foreign text, and numbers out of them.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipewright::interop {

/// The next line of `text` without its end, which is cut off it.
inline std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

inline std::vector<std::string_view> split(std::string_view line, std::string_view separators,
                                           bool keep_empty) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t end = line.find_first_of(separators);
    const std::string_view word = line.substr(0, end);
    if (keep_empty || !word.empty()) words.push_back(word);
    if (end == std::string_view::npos) return words;
    line.remove_prefix(end + 1);
  }
}

inline std::vector<std::string_view> words_of(std::string_view line) {
  return split(line, " \t", false);
}

/// Returns `text` with small letters in place of ASCII's capital ones.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

template <class Number>
std::optional<Number> number_of(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace pipewright::interop
