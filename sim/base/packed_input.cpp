#include "base/packed_input.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace pipewright {
namespace {

constexpr size_t longest_line = size_t{1} << 20;
constexpr unsigned file_buffer = 1 << 18;

gzFile file_of(void* held) { return static_cast<gzFile>(held); }

}  // namespace

void PackedInput::Close::operator()(void* file) const { gzclose(static_cast<gzFile>(file)); }

PackedInput::PackedInput(const std::string& path) : path_(path) {
  if (std::error_code ignored; path != "-" && std::filesystem::is_directory(path, ignored))
    throw InputError({path, 0, 0}, "is a folder");
  file_.reset(path == "-" ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb"));
  if (!file_) throw InputError({path, 0, 0}, fmt::format("cannot be read: {}", strerror(errno)));
  gzbuffer(file_of(file_.get()), file_buffer);
}

PackedInput::PackedInput(std::string name, std::string text)
    : path_(std::move(name)), text_(std::move(text)) {}

size_t PackedInput::read(std::span<char> bytes) {
  if (!file_) {
    const size_t count = text_.copy(bytes.data(), bytes.size(), at_);
    at_ += count;
    return count;
  }
  const gzFile file = file_of(file_.get());
  const int count = gzread(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  int error = Z_OK;
  gzerror(file, &error);
  if (error == Z_ERRNO)
    throw InputError({path_, 0, 0}, fmt::format("cannot be read: {}", strerror(errno)));
  if (error == Z_BUF_ERROR && count > 0) return static_cast<size_t>(count);
  if (error == Z_BUF_ERROR)
    throw InputError({path_, 0, 0}, "is cut off: the packed file ends before its contents do");
  if (count < 0 || error != Z_OK) throw InputError({path_, 0, 0}, "is broken as a packed file");
  return static_cast<size_t>(count);
}

PackedLines::PackedLines(const std::string& path) : input_(path), buffer_(longest_line, '\0') {}

/// Moves what is left to the front and reads on behind it.
bool PackedLines::fill() {
  std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
  filled_ -= at_;
  at_ = 0;
  const size_t read = input_.read({buffer_.data() + filled_, buffer_.size() - filled_});
  filled_ += read;
  return read > 0;
}

bool PackedLines::next() {
  size_t looked_at = 0;
  while (true) {
    const std::string_view left(buffer_.data() + at_, filled_ - at_);
    const size_t end = left.find('\n', looked_at);
    if (end != std::string_view::npos) {
      line_ = left.substr(0, end);
      at_ += end + 1;
      break;
    }
    looked_at = left.size();
    if (left.size() == buffer_.size())
      throw InputError({path(), number_ + 1, 1}, "this line is longer than 1 MiB");
    if (fill()) continue;
    if (left.empty()) return false;
    line_ = {buffer_.data(), filled_};
    at_ = filled_;
    break;
  }
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  return true;
}

}  // namespace pipewright
