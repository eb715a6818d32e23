// Files that may be packed by gzip (RFC 1952), read as a stream: no more of them is held than a
// buffer.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace pipewright {

class PackedInput {
 public:
  /// Opens a file, plain or packed; `-` is standard input. Throws InputError where it cannot be
  /// opened or is a folder.
  explicit PackedInput(const std::string& path);
  /// Reads `text` in place of a file. Messages call it `name`.
  PackedInput(std::string name, std::string text);

  /// Fills the front of `bytes` and returns how much that is; zero at the end. Throws InputError
  /// for a packed file that is broken, and for one that is cut off once all before that is read.
  size_t read(std::span<char> bytes);
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(void* file) const;
  };
  std::string path_, text_;
  size_t at_ = 0;                      ///< in the text
  std::unique_ptr<void, Close> file_;  ///< null: the text is read
};

/// The lines of such a file, one after another.
class PackedLines {
 public:
  explicit PackedLines(const std::string& path);

  /// Goes on to the next line and returns whether there is one. Throws InputError for a line of
  /// more than a MiB.
  bool next();
  /// The line, without its end; it is there until next() is called again.
  std::string_view line() const { return line_; }
  int number() const { return number_; }  ///< counts from 1
  const std::string& path() const { return input_.path(); }

 private:
  bool fill();

  PackedInput input_;
  std::string buffer_;
  size_t at_ = 0, filled_ = 0;
  std::string_view line_;
  int number_ = 0;
};

}  // namespace pipewright
