// What several runs of nccl-tests measured.
#pragma once

#include <span>
#include <string>

#include "interop/nccl_points.hpp"

namespace pipewright::interop {

/// Returns "all_reduce over 8 ranks (float), all_gather over 16 ranks (half)": each operation,
/// count of ranks and type once, in the order of the points.
std::string shapes_text(std::span<const NcclPoint> points);

}  // namespace pipewright::interop
