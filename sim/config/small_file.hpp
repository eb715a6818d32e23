// Files that are small: documents, scripts, tables and logs of measurements.
#pragma once

#include <string>

#include "base/error.hpp"

namespace pipewright::config {

/// As read_file(), for what has no more than 64 MiB.
std::string read_small_file(const std::string& path, const Where& named_at = {});

}  // namespace pipewright::config
