#include "convert/formats/format.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/packed_input.hpp"
#include "convert/formats/registry.hpp"
#include "interop/words.hpp"

namespace pipewright::convert {

std::string ImportRequest::option(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() || found->second.empty() ? std::string() : found->second.back();
}

std::vector<std::string> ImportRequest::all(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::vector<std::string>() : found->second;
}

std::span<const Format* const> formats() { return registry; }

const Format* find_format(std::string_view name) {
  for (const Format* format : formats())
    if (format->name == name) return format;
  return nullptr;
}

namespace {

template <class Way>
std::vector<const Format*> those_with(Way way) {
  std::vector<const Format*> some;
  for (const Format* format : formats())
    if (format->*way) some.push_back(format);
  return some;
}

constexpr size_t longest_head = 256 * shortest_head;

/// The beginning of a file. Empty for what is no file: reading a pipe would wait for it, and take
/// from it.
std::string beginning_of(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};
  PackedInput in(file);
  std::string bytes(longest_head, '\0');
  bytes.resize(in.read(bytes));
  return bytes;
}

/// `rest` without lines that begin with `left_out`, such as what Pipewright wrote above a job, up
/// to `size`.
std::string head_of(std::string_view rest, std::string_view left_out, size_t size) {
  std::string head;
  while (!rest.empty() && head.size() < size)
    if (const std::string_view line = interop::take_line(rest); !line.starts_with(left_out))
      head += std::string(line) + '\n';
  return head.substr(0, size);
}

/// A file that is gone with this.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("pipewright-" + std::to_string(getpid()) + ".bytes")) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

std::vector<const Format*> imported_formats() { return those_with(&Format::reading); }
std::vector<const Format*> exported_formats() { return those_with(&Format::writing); }

const Format* format_of(const std::string& file) {
  const std::string beginning = beginning_of(file);
  // A licence or the output of other programs may stand before what tells.
  for (const size_t size : {shortest_head, longest_head})
    for (const std::string_view left_out : {"# pipewright|", "#"}) {
      const std::string head = head_of(beginning, left_out, size);
      for (const Format* format : formats())
        if (format->recognises && format->recognises(head, file)) return format;
    }
  return nullptr;
}

void fuzz(const Format& format, std::string_view bytes) {
  if (format.fuzz) return format.fuzz(bytes);
  const TemporaryFile file(bytes);
  format.reading.run({.file = file.path(), .out = "-", .options = {}});
}

}  // namespace pipewright::convert
