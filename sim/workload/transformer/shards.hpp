// The cost of sharded weights to a device besides their communication; see shards.cpp.
#pragma once

#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

/// The operations of a layer, and what becomes of its weights before them and of their gradients
/// after.
Operations with_shards(const Share& share, Operations operations, const Recompute& recompute);

}  // namespace pipewright::transformer
