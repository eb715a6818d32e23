// Text on its way to a stream, for formats that are written by the million lines: a buffer that
// numbers and literals go into without allocation or parsing of formats.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <ostream>
#include <string_view>

namespace pipewright {

/// The stream keeps text back until its buffer is full. What is left when it is destroyed is lost:
/// its last call is flush().
class TextStream {
 public:
  explicit TextStream(std::ostream& out) : out_(out) {}
  TextStream(const TextStream&) = delete;
  TextStream& operator=(const TextStream&) = delete;

  TextStream& operator<<(std::string_view text) {
    if (text.size() > buffer_.size() - used_) make_room(text);
    std::copy(text.begin(), text.end(), buffer_.data() + used_);
    used_ += text.size();
    return *this;
  }
  template <std::integral Number>
  TextStream& operator<<(Number n) {
    if (buffer_.size() - used_ < longest_number) flush();
    char* const from = buffer_.data() + used_;
    used_ += static_cast<size_t>(std::to_chars(from, from + longest_number, n).ptr - from);
    return *this;
  }
  /// This writes what the buffer holds.
  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(used_));
    used_ = 0;
  }

 private:
  static constexpr size_t longest_number = 24;

  /// Writes what is there, and `text` itself where no buffer would hold it.
  void make_room(std::string_view& text) {
    flush();
    if (text.size() <= buffer_.size()) return;
    out_.write(text.data(), static_cast<std::streamsize>(text.size()));
    text = {};
  }

  std::ostream& out_;
  size_t used_ = 0;
  std::array<char, 1 << 16> buffer_;
};

}  // namespace pipewright
