#include "interop/shell/pattern.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace pipewright::shell {
namespace {

/// Patterns and texts of launch scripts are short; others are not searched.
constexpr size_t longest_text = 512;

/// Returns the longest piece of `text` at `from` that `pattern` matches, or npos.
size_t match_at(std::string_view text, size_t from, std::string_view pattern) {
  for (size_t end = text.size(); end > from; --end)
    if (matches(pattern, text.substr(from, end - from))) return end - from;
  return std::string_view::npos;
}

bool is_plain(std::string_view pattern) {
  return pattern.find_first_of("*?[\\") == std::string_view::npos;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  if (is_plain(pattern)) return pattern == text;
  // More stars than that would take long, and nobody writes them.
  if (std::count(pattern.begin(), pattern.end(), '*') > 6) return false;
  return fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), 0) == 0;
}

std::string without_prefix(std::string_view text, std::string_view pattern, bool longest) {
  if (text.size() > longest_text) return std::string(text);
  for (size_t i = 0; i <= text.size(); ++i) {
    const size_t size = longest ? text.size() - i : i;
    if (matches(pattern, text.substr(0, size))) return std::string(text.substr(size));
  }
  return std::string(text);
}

std::string without_suffix(std::string_view text, std::string_view pattern, bool longest) {
  if (text.size() > longest_text) return std::string(text);
  for (size_t i = 0; i <= text.size(); ++i) {
    const size_t start = longest ? i : text.size() - i;
    if (matches(pattern, text.substr(start))) return std::string(text.substr(0, start));
  }
  return std::string(text);
}

std::string replaced(std::string_view text, std::string_view pattern, std::string_view by,
                     bool all) {
  const bool plain = is_plain(pattern);
  if (pattern.empty() || (text.size() > longest_text && !plain)) return std::string(text);
  std::string result;
  size_t at = 0;
  for (bool done = false; at < text.size() && !done;) {
    const size_t size =
        plain ? (text.substr(at).starts_with(pattern) ? pattern.size() : std::string_view::npos)
              : match_at(text, at, pattern);
    if (size == std::string_view::npos) {
      result += text[at++];
      continue;
    }
    result += by;
    at += size;
    done = !all;
  }
  return result.append(text.substr(std::min(at, text.size())));
}

}  // namespace pipewright::shell
