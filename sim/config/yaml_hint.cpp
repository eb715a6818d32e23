#include "config/yaml_hint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace pipewright::config {
namespace {

/// Returns the last line up to `line` that is indented with a tab; 0 where none is.
int line_with_tab(std::string_view text, int line) {
  std::istringstream lines{std::string(text)};
  std::string one;
  int found = 0;
  for (int number = 1; number <= line && std::getline(lines, one); ++number) {
    const size_t indent = one.find_first_not_of(" \t");
    if (one.substr(0, indent).find('\t') != std::string::npos) found = number;
  }
  return found;
}

struct Bracket {
  char opens = '{';
  int line = 1;
};

/// The brackets that are open at the end of a text, outside of quotes and comments.
class OpenBrackets {
 public:
  void read(std::string_view text) {
    for (const char c : text) {
      take(c);
      before_ = c;
      line_ += c == '\n';
    }
  }
  const std::vector<Bracket>& open() const { return open_; }

 private:
  void take(char c) {
    if (in_comment_) {
      in_comment_ = c != '\n';
    } else if (quote_ != 0) {
      if (c == quote_ && before_ != '\\') quote_ = 0;
    } else if (c == '#' && (before_ == ' ' || before_ == '\n')) {
      in_comment_ = true;
    } else if (c == '"' || c == '\'') {
      if (std::string_view(" \n{[,:").find(before_) != std::string_view::npos) quote_ = c;
    } else if (c == '{' || c == '[') {
      open_.push_back({c, line_});
    } else if ((c == '}' || c == ']') && !open_.empty()) {
      open_.pop_back();
    }
  }

  std::vector<Bracket> open_;
  char before_ = '\n', quote_ = 0;
  bool in_comment_ = false;
  int line_ = 1;
};

/// Returns the text up to the end of `line`.
std::string_view up_to(std::string_view text, int line) {
  size_t end = 0;
  for (; line > 0 && end < text.size(); ++end) line -= text[end] == '\n';
  return text.substr(0, end);
}

std::string bracket_hint(std::string_view text, int line) {
  OpenBrackets brackets;
  brackets.read(up_to(text, line));
  if (brackets.open().empty()) return {};
  const Bracket last = brackets.open().back();
  return fmt::format("; the '{}' of line {} needs its '{}'", last.opens, last.line,
                     last.opens == '{' ? '}' : ']');
}

}  // namespace

std::string yaml_hint(std::string_view text, int line, std::string_view message) {
  if (const int tab = line_with_tab(text, line); tab > 0)
    return fmt::format("; line {} is indented with a tab, where YAML wants spaces", tab);
  if (message.find("flow") != std::string_view::npos) return bracket_hint(text, line);
  if (message == "unknown token")
    return "; a text with a sign that YAML uses, as '?' inside { } and [ ], needs quotes";
  if (message == "illegal map value")
    return "; a text with ': ' in it needs quotes, and a key its own line";
  return {};
}

bool is_binary(std::string_view bytes) {
  const bool is_wide = bytes.starts_with("\xfe\xff") || bytes.starts_with("\xff\xfe") ||
                       bytes.starts_with(std::string_view("\0\0\xfe\xff", 4));
  return !is_wide && bytes.find('\0') != std::string_view::npos;
}

}  // namespace pipewright::config
