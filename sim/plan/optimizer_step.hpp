// The kernels of one optimizer step on one device.
#pragma once

#include <span>
#include <vector>

#include "plan/memory.hpp"

namespace pipewright {

/// Returns a kernel of an optimizer that reads and writes so many bytes.
Work streamed(double read, double written);

/// Returns the kernels of a step: the norm of the gradients first, the update second, then what
/// else follows, the zeroing of gradients last.
std::vector<Work> optimizer_step(std::span<const Layer> stage, const StateOptions& options);

}  // namespace pipewright
