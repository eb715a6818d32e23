// Low-rank adapters beside frozen weights.
#pragma once

#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

/// Adds an adapter of the options' rank to a product: nothing where that is 0, or where every
/// device has the whole product.
void add_adapter(const Share& share, const Linear& linear, Operation& operation);

/// Takes away the gradients of all weights but those of adapters.
void freeze(const Share& share, Operations& operations);

}  // namespace pipewright::transformer
