// Files and streams of users, read whole and never without end.
#pragma once

#include <cstddef>
#include <istream>
#include <string>

#include "base/error.hpp"

namespace pipewright {

/// What is read of a file at most, unless its reader says otherwise.
inline constexpr size_t most_input_bytes = size_t{512} << 20;

/// All of `in`, which messages call `name`. Throws InputError at `named_at` where it cannot be read
/// or has more than `most` bytes.
std::string read_all(std::istream& in, const std::string& name, const Where& named_at,
                     size_t most = most_input_bytes);

}  // namespace pipewright
