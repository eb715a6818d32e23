#include "interop/goal_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pipewright::goal {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr std::array<bool, 256> in_words = [] {
  std::array<bool, 256> table{};
  for (size_t c = 0; c < table.size(); ++c) {
    const auto letter = static_cast<char>(c);
    table[c] = is_digit(letter) || is_letter(letter) || letter == '_';
  }
  return table;
}();

std::string quoted(char c) {
  if (c == '\n') return "the end of the line";
  if (c >= ' ' && c <= '~') return fmt::format("'{}'", c);
  return fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

void Scanner::open(std::string_view lines) {
  p_ = line_start_ = lines.data();
  end_ = p_ + lines.size();
}

bool Scanner::next_is_letter() const { return p_ != end_ && is_letter(*p_); }

void Scanner::skip_blanks() {
  while (p_ != end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r')) ++p_;
}

void Scanner::skip_line_end() {
  line_start_ = ++p_;
  ++line_;
}

bool Scanner::skip_comment() {
  if (!in_comment_) {
    if (end_ - p_ < 2 || p_[0] != '/' || (p_[1] != '/' && p_[1] != '*')) return false;
    in_comment_ = p_[1] == '*';
    p_ += 2;
    if (!in_comment_) {
      p_ = std::find(p_, end_, '\n');
      return true;
    }
  }
  constexpr std::string_view close = "*/";
  const char* const line_end = std::find(p_, end_, '\n');
  p_ = std::search(p_, line_end, close.begin(), close.end());
  if (p_ == line_end) return true;
  p_ += close.size();
  in_comment_ = false;
  return true;
}

bool Scanner::take(char c) {
  skip_blanks();
  if (!next_is(c)) return false;
  ++p_;
  return true;
}

std::string_view Scanner::take_word() {
  skip_blanks();
  const char* const start = p_;
  while (p_ != end_ && in_words[static_cast<unsigned char>(*p_)]) ++p_;
  return {start, p_};
}

void Scanner::expect_word(std::string_view wanted) {
  skip_blanks();
  const char* const start = p_;
  if (take_word() == wanted) return;
  p_ = start;
  expected(fmt::format("'{}'", wanted));
}

uint64_t Scanner::take_number(const char* what, uint64_t most) {
  skip_blanks();
  const char* const start = p_;
  uint64_t number = 0;
  bool fits = true;
  for (; p_ != end_ && is_digit(*p_); ++p_) {
    const auto digit = static_cast<uint64_t>(*p_ - '0');
    fits = fits && number <= (most - digit) / 10;
    number = number * 10 + digit;
  }
  if (p_ == start) {
    if (end_ - p_ >= 2 && p_[0] == '-' && p_[1] == '1')
      fail(start, fmt::format("{} must be given: wildcards are not simulated", what));
    expected(what);
  }
  if (!fits) {
    fail(start, fmt::format("{} must be at most {}, not {}", what, most,
                            std::string_view(start, p_).substr(0, 40)));
  }
  return number;
}

void Scanner::fail(const char* at, const std::string& message) const {
  throw InputError({file_, static_cast<int>(line_), static_cast<int>(column(at))}, message);
}

void Scanner::fail_at_line(uint32_t line, const std::string& message) const {
  throw InputError({file_, static_cast<int>(line), 1}, message);
}

void Scanner::expected(std::string_view what) const {
  fail(p_, fmt::format("expected {}, found {}", what, at_end() ? "the end" : quoted(*p_)));
}

}  // namespace pipewright::goal
