// What torch.autocast adds to products and to what stands between them; see autocast.cpp. All of it
// is nothing where `precision` is not `autocast`.
#pragma once

#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

/// The numbers that a product casts.
struct CastOperands {
  double input = 0;     ///< of what it reads in fp32; 0: it reads 16 bits
  double weights = 0;   ///< of its weights
  int64_t readers = 1;  ///< products of plain PyTorch that cast that input, each for itself
};

/// Tells whether operators between products are kernels of their own.
bool runs_eagerly(const Share& share);

/// Adds the casts of a product's operands and gradients, and the bytes of their results that wait.
void add_autocasts(const Share& share, const CastOperands& operands, Operation& operation);

/// Returns the bytes of the gradient of `numbers` weights as a product writes it: in 16 bits under
/// autocast, else added to what there is in the gradients' format.
double weight_gradient_bytes(const Share& share, double numbers);

/// Returns the bytes of a number that products read and keep for the gradient of their weights:
/// none where frozen weights have adapters beside them that keep a copy of their own.
double kept_operand(const Share& share);

/// Tells whether a row-parallel product behind an activation reads fp32.
bool activates_wide(const Share& share);

/// Returns the bytes of a number that a norm writes for the products behind it.
double normed_element(const Share& share);

/// The products of plain PyTorch that one of ours stands for: of queries, keys and values, and of
/// an MLP's first.
int64_t projection_readers(const Share& share);
int64_t gate_readers(const Share& share);

}  // namespace pipewright::transformer
