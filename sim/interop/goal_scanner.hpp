// The words, numbers and comments of GOAL text. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace pipewright::goal {

class Scanner {
 public:
  explicit Scanner(std::string_view file) : file_(file) {}

  /// The text goes on with these lines, all of them whole but the last of all.
  void open(std::string_view lines);
  bool at_end() const { return p_ == end_; }
  bool in_comment() const { return in_comment_; }
  uint32_t line() const { return line_; }
  const char* here() const { return p_; }
  /// Returns the column of a position in the present line, counted from 1.
  uint32_t column(const char* at) const { return static_cast<uint32_t>(at - line_start_) + 1; }
  bool next_is(char c) const { return p_ != end_ && *p_ == c; }
  bool next_is_letter() const;

  // Each skips blanks and leaves `here` behind what it took.
  void skip_blanks();
  void skip_line_end();
  /// A comment that goes on in the next line ends with this one for now.
  bool skip_comment();
  bool take(char c);
  /// Letters, digits and underscores; empty where there are none.
  std::string_view take_word();
  void expect_word(std::string_view wanted);
  /// Reads a number of at most `most`; `what` names it in messages.
  uint64_t take_number(const char* what, uint64_t most);

  [[noreturn]] void fail(const char* at, const std::string& message) const;
  [[noreturn]] void fail_at_line(uint32_t line, const std::string& message) const;
  [[noreturn]] void expected(std::string_view what) const;

 private:
  std::string file_;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  const char* line_start_ = nullptr;
  uint32_t line_ = 1;
  bool in_comment_ = false;
};

}  // namespace pipewright::goal
