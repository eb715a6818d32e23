// Files that are there whole or not at all: written without a name (or, where the file system has
// no such files, under a temporary one) in the same folder, then renamed.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace pipewright {

/// Calls `write` with a stream whose contents become the file `path`; `-` is standard output. A
/// path that is no regular file (a pipe, /dev/null) is written to as it stands; a symbolic link
/// keeps pointing where it does. Throws Failure with the path and the system's reason when the file
/// cannot be written in full; then, and when `write` throws, `path` is as it was.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);
/// The same with a text that is there already.
void write_file(const std::string& path, std::string_view text);

/// Removes the files under temporary names that are being written. A signal handler may call it
/// that ends the program.
void remove_unfinished_files() noexcept;

}  // namespace pipewright
