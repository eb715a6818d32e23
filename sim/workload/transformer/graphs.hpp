// Which operations of a block are in CUDA graphs.
#pragma once

#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

/// Tells whether a part of every block that has it is in a CUDA graph.
bool captures(const Share& share, GraphedModule module);

/// Returns the operations, all of whose kernels and collectives are in a CUDA graph.
Operations captured(Operations operations);

/// Returns them so where `module` is in a graph, else as they are.
Operations captured(const Share& share, GraphedModule module, Operations operations);

/// Returns a branch of the residual stream. A mixer is `attn`, or `mamba` where it is a state-space
/// layer.
Operations captured_mixer(const Share& share, int64_t block, Operations branch);

/// Returns the branch of a block's feed-forward, where `before` of its operations come before the
/// MLP or the experts, and `behind` after them.
Operations captured_feed(const Share& share, int64_t block, Operations branch, size_t before,
                         size_t behind);

}  // namespace pipewright::transformer
