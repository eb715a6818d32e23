// Releases of NCCL.
#pragma once

#include <limits>
#include <optional>
#include <string_view>

#include "config/value.hpp"

namespace pipewright {

/// A release is a number that grows: 2018 for 2.18.1.
inline constexpr int todays_nccl = std::numeric_limits<int>::max();

/// Reads a release such as 2.18 or 2.18.1. Throws InputError.
int read_nccl_release(const config::Value& value);

/// Returns the release of NCCL that comes with a release of PyTorch such as 2.1 or 2.1.2; nothing
/// where that is not known.
std::optional<std::string_view> nccl_of_pytorch(std::string_view release);

}  // namespace pipewright
