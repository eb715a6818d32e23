#include "cli/yaml_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "report/io/atomic_file.hpp"

namespace pipewright::cli {
namespace {

namespace fs = std::filesystem;

/// The file that this code is in: the Python module, else the program.
fs::path own_file() {
  static const char here = 0;
  Dl_info found{};
  if (dladdr(&here, &found) != 0 && found.dli_fname &&
      std::string_view(found.dli_fname).find(".so") != std::string_view::npos)
    return found.dli_fname;
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

/// The schema where it was built or installed, in a folder around this code; empty where none is.
fs::path schema_file(std::string_view kind) {
  std::error_code ignored;
  const std::string name = fmt::format("{}.json", kind);
  const fs::path own = fs::absolute(own_file(), ignored).lexically_normal();
  fs::path folder = own.parent_path();
  while (folder.has_relative_path()) {
    for (const char* place : {"sim/cli/editor", "share/pipewright/schemas"})
      if (const fs::path file = folder / place / name; fs::exists(file, ignored)) return file;
    folder = folder.parent_path();
  }
  return {};
}

}  // namespace

void write_yaml(const std::string& path, std::string_view text, std::string_view kind) {
  if (path == "-") return write_file(path, text);
  const std::string schema = schema_file(kind).string();
  if (schema.empty()) return write_file(path, text);
  write_file(path, fmt::format("# yaml-language-server: $schema={}\n{}", schema, text));
}

}  // namespace pipewright::cli
