#include "report/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace pipewright {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw Failure(fmt::format("cannot write '{}': {}", path == "-" ? "standard output" : path,
                            std::generic_category().message(error)));
}

/// Writes to an open file and remembers why the first write failed, which std::ofstream does not.
class Sink final : public std::streambuf {
 public:
  explicit Sink(int file) : file_(file) { setp(buffer_.data(), buffer_.data() + buffer_.size()); }
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }

  int sync() override {
    const char* from = pbase();
    while (from < pptr() && error_ == 0) {
      const ssize_t written = ::write(file_, from, static_cast<size_t>(pptr() - from));
      if (written >= 0)
        from += written;
      else if (errno != EINTR)
        error_ = errno;
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  int file_;
  int error_ = 0;
  std::array<char, 1 << 16> buffer_;
};

/// Returns the reason why not everything was written, 0 for none.
int fill(int file, const std::function<void(std::ostream&)>& write) {
  Sink sink(file);
  std::ostream stream(&sink);
  write(stream);
  stream.flush();
  return sink.error();
}

/// Calls `make` with names beside `path` until one is not taken. Returns what `make` does.
int with_new_name(const std::string& path, std::string& name,
                  const std::function<int(const char*)>& make) {
  for (int attempt = 0;; ++attempt) {
    name = fmt::format("{}.{}-{}.tmp", path, ::getpid(), attempt);
    const int result = make(name.c_str());
    if (result >= 0 || errno != EEXIST) return result;
  }
}

/// Opens a file without a name, which is gone with the process however that ends; negative where
/// the file system has none.
int open_nameless(const std::string& path) {
  if (::access("/proc/self/fd", X_OK) != 0) return -1;  // through which it gets its name
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

/// The temporary names that stand now, for whoever ends the program meanwhile.
std::array<std::atomic<const char*>, 16> unfinished{};

void note_unfinished(const char* name) {
  for (std::atomic<const char*>& place : unfinished) {
    const char* nothing = nullptr;
    if (place.compare_exchange_strong(nothing, name)) return;
  }
}

void forget_unfinished(const char* name) {
  for (std::atomic<const char*>& place : unfinished) {
    const char* it = name;
    if (place.compare_exchange_strong(it, nullptr)) return;
  }
}

/// A file that is not there under its final name until all of it is.
class Temporary {
 public:
  explicit Temporary(const std::string& path) : path_(path), file_(open_nameless(path)) {
    if (file_ >= 0) return;
    file_ = with_new_name(path, name_, [](const char* name) {
      return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    });
    if (file_ < 0) fail(path, errno);
    note_unfinished(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (file_ >= 0) ::close(file_);
    if (!name_.empty()) ::unlink(name_.c_str());
    forget_unfinished(name_.c_str());
  }
  int file() const { return file_; }

  void become_final() {
    if (name_.empty()) {
      if (give_name() < 0) fail(path_, errno);
      note_unfinished(name_.c_str());
    }
    if (::close(std::exchange(file_, -1)) != 0) fail(path_, errno);
    if (::rename(name_.c_str(), path_.c_str()) != 0) fail(path_, errno);
    forget_unfinished(name_.c_str());
    name_.clear();
  }

 private:
  /// A name cannot be given to a file where there is one already, only taken over from another.
  int give_name() {
    const std::string open_file = fmt::format("/proc/self/fd/{}", file_);
    return with_new_name(path_, name_, [&](const char* name) {
      return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
    });
  }

  std::string path_, name_;
  int file_;
};

void write_in_place(const std::string& path, int file,
                    const std::function<void(std::ostream&)>& write) {
  const int error = fill(file, write);
  if (error != 0) fail(path, error);
}

void write_special(const std::string& path, const std::function<void(std::ostream&)>& write) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) fail(path, errno);
  try {
    write_in_place(path, file, write);
  } catch (...) {
    ::close(file);
    throw;
  }
  if (::close(file) != 0) fail(path, errno);
}

/// Returns the end of a chain of symbolic links; `path` itself where there is nothing yet.
std::string target_of(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path target = std::filesystem::canonical(path, ignored);
  return target.empty() ? path : target.string();
}

void replace(const std::string& path, const struct stat* old,
             const std::function<void(std::ostream&)>& write) {
  if (old && ::access(path.c_str(), W_OK) != 0) fail(path, errno);
  Temporary temporary(path);
  if (old && ::fchmod(temporary.file(), old->st_mode & 07777) != 0) fail(path, errno);
  write_in_place(path, temporary.file(), write);
  temporary.become_final();
}

}  // namespace

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path == "-" || path == "/dev/stdout") {
    std::fflush(stdout);  // what was printed before comes before
    return write_in_place(path, STDOUT_FILENO, write);
  }
  const std::string target = target_of(path);
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) return write_special(target, write);
  replace(target, exists ? &old : nullptr, write);
}

void write_file(const std::string& path, std::string_view text) {
  write_file(path, [&](std::ostream& out) { out << text; });
}

void remove_unfinished_files() noexcept {
  for (const std::atomic<const char*>& name : unfinished)
    if (const char* here = name) ::unlink(here);
}

}  // namespace pipewright
