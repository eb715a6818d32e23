// Device memory by what it holds.
#pragma once

#include "base/units.hpp"

namespace pipewright {

/// Bytes of device memory by what they hold.
struct MemoryUse {
  Bytes weights, weight_versions, gradients, optimizer, activations, buffers;
  Bytes reclaimable;  ///< what an allocator holds beyond these where there is room; not in total()
  Bytes total() const {
    return weights + weight_versions + gradients + optimizer + activations + buffers;
  }
};

}  // namespace pipewright
