// Low-rank adapters beside frozen weights.
#pragma once

#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

/// A product of the routed experts of one device.
struct ExpertProduct {
  int64_t experts = 0;  ///< on this device
  int64_t rows = 0;     ///< of each of them
  int64_t in = 0, out = 0;
  double whole_sides = 0;  ///< `in` and `out` of a whole expert, together
};

/// Adds an adapter of the options' rank to a product: nothing where that is 0, or where every
/// device has the whole product.
void add_adapter(const Share& share, const Linear& linear, Operation& operation);

/// The same beside a product of routed experts: one for all of a device's, or one for each.
void add_expert_adapter(const Share& share, const ExpertProduct& product, Operation& operation);

/// Leaves a layer with its forward pass: no backward pass comes.
void leave_out_backward(Layer& layer);

/// Takes away the gradients of all weights but those of adapters.
void freeze(const Share& share, Operations& operations);

}  // namespace pipewright::transformer
