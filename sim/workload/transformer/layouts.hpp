// Copies that frameworks make because of where they lay numbers.
#pragma once

#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

/// Adds to a pass of `operation` the kernel that lays out the operand, `width` wide, that its
/// collectives gather.
void lay_out_gathered(const Share& share, Direction direction, int64_t width, Operation& operation);
/// Adds the kernel that lays out what its collective scatters, likewise.
void lay_out_scattered(const Share& share, Direction direction, int64_t width,
                       Operation& operation);
/// Adds to the forward pass of a block the kernels that copy what it keeps into stacks.
void stack_kept(const Share& share, Layer& block);

}  // namespace pipewright::transformer
