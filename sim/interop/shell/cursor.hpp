// A place in the text of a script that is being read.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "interop/shell/text.hpp"

namespace pipewright::shell {

inline bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_space(char c) { return is_blank(c) || c == '\n'; }

class Cursor {
 public:
  Cursor(std::string_view text, Place place) : text_(text), place_(std::move(place)) {}

  bool at_end() const { return at_ >= text_.size(); }
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool sees(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  const Place& place() const { return place_; }
  size_t offset() const { return at_; }
  std::string_view since(size_t offset) const { return text_.substr(offset, at_ - offset); }

  void step(size_t count = 1) {
    for (; count > 0 && at_ < text_.size(); --count) {
      step_one();
      if (at_ == line_end_) pass_here_documents();
    }
  }

  /// Returns the lines between the end of this line and one that is `end`; the cursor passes over
  /// them when it comes there. `strips`: leading tabs do not count. `place` becomes theirs.
  std::string take_here_document(std::string_view end, bool strips, Place& place) {
    if (line_end_ == std::string_view::npos || line_end_ <= at_) {
      line_end_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
      here_end_ = line_end_;
    }
    place.line = place_.line + 1 + static_cast<int>(lines_between(line_end_, here_end_));
    place.column = 1;
    std::string body;
    while (here_end_ < text_.size()) {
      const size_t stop = std::min(text_.find('\n', here_end_), text_.size());
      std::string_view line = text_.substr(here_end_, stop - here_end_);
      here_end_ = std::min(stop + 1, text_.size());
      if (strips) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line == end) return body;
      body.append(line) += '\n';
    }
    fail(place_, "this text has no last line '" + std::string(end) + "'");
  }

  /// Passes `word` if it comes next.
  bool take(std::string_view word) {
    if (!sees(word)) return false;
    step(word.size());
    return true;
  }

  std::string take_name() {
    const size_t start = at_;
    while (in_name(peek()) && !at_end()) step();
    return std::string(since(start));
  }

  [[noreturn]] static void fail(const Place& place, const std::string& message) {
    throw InputError(place.where(), message);
  }

 private:
  void step_one() {
    ++place_.column;
    if (text_[at_] == '\n') ++place_.line, place_.column = 1;
    ++at_;
  }
  void pass_here_documents() {
    while (at_ < here_end_) step_one();
    line_end_ = std::string_view::npos;
  }
  size_t lines_between(size_t from, size_t to) const {
    return static_cast<size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(from),
                                          text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
  }

  std::string_view text_;
  Place place_;
  size_t at_ = 0;
  size_t line_end_ = std::string_view::npos;  ///< where here-documents begin, if there are any
  size_t here_end_ = 0;                       ///< where they end
};

}  // namespace pipewright::shell
