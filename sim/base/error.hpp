// The two ways to fail. The user's mistake is an InputError that says where and what would be
// right; work that cannot be done is a Failure. Both are caught once, in main. Our own mistakes
// abort through ensure().
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace pipewright {

/// A place in the user's input. `line` and `column` count from 1; 0 where there is none
/// (a command-line argument, a file that cannot be read).
struct Where {
  std::string file;
  int line = 0;
  int column = 0;
};

/// "file:line:column", without the parts that are not known.
std::string to_string(const Where& where);

/// The input is wrong (exit status 2). what() is the complete line "WHERE: error: MESSAGE".
class InputError : public std::runtime_error {
 public:
  InputError(Where where, const std::string& message);
  explicit InputError(const std::string& message) : InputError(Where{}, message) {}
  const Where& where() const { return where_; }
  const std::string& message() const { return message_; }

 private:
  Where where_;
  std::string message_;
};

/// A schedule, partition or parallel degree that cannot be for this shape: an input error by
/// itself, a row with its reason where several are compared.
class Misfit : public InputError {
 public:
  using InputError::InputError;
};

/// A map lacks what it cannot be without.
class MissingKey : public InputError {
 public:
  using InputError::InputError;
};

/// A file cannot be read. where() is the place that names it, if there is one.
class UnreadableFile : public InputError {
 public:
  UnreadableFile(Where named_at, std::string path, const std::string& message)
      : InputError(std::move(named_at), message), path_(std::move(path)) {}
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The work itself failed (exit status 1): a deadlock, a full disk.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Aborts with `message` unless `holds`: for conditions that only our own bug can break.
inline void ensure(bool holds, const char* message);
[[noreturn]] void abort_with(const char* message);
inline void ensure(bool holds, const char* message) {
  if (!holds) [[unlikely]]
    abort_with(message);
}

}  // namespace pipewright
