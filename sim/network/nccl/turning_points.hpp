// Sizes at which NCCL's choice changes.
#pragma once

#include <vector>

#include "network/nccl/choice.hpp"

namespace pipewright {

/// Returns the sizes above `request.bytes`, up to 65,536 times that, at which a collective may
/// become faster than a smaller one: those from which on NCCL chooses another algorithm or
/// protocol, and the powers of two from which on it expects more of a tree. Sizes whose bytes take
/// longer than `most_s` seconds on the links are left out.
std::vector<Bytes> turning_points(const NcclTuning& tuning, const NcclRequest& request,
                                  double most_s);

}  // namespace pipewright
