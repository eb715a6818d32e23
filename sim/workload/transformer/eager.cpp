// Kernels of plain PyTorch, which runs each operator by itself (`kernels: eager`).
//
// Every operator reads its operands from memory and writes its result there. Bytes a number, e
// being those of an activation (2 in 16 bits), in all and beside the fused kernel's:
//   RMS norm     cast, square, mean, scale, cast, weight: 4e + 28; fused 2e
//                its gradient through each of these: 8e + 60; fused 3e
//   layer norm   one kernel; but its weights' gradients read both operands again: 2e more
//   gated MLP    activation 2e, product 3e; fused 3e
//                gradients of the product 6e, of the activation 3e; fused 5e
//   rotation     cast, complex product, cast, in fp32: 2e + 16; fused 2e; its gradient as much
//   dropout      by itself before the residual sum: 2e more
//   softmax      reads rows of more than 1024 twice, in the gradient both of its operands
//   projections  gradients of queries, keys and values are joined, or their inputs' added: 2e more
// Scaling and masking of scores are kernels of their own (attention.cpp), gradients of sharded
// weights are copied (shards.cpp).
//
// Source: PyTorch 2.5, aten/src/ATen/native (layer_norm.cpp: rms_norm is composite;
// cuda/SoftMax.cu, PersistentSoftmax.cuh: a warp has rows up to 1024),
// torch/distributed/fsdp/_runtime_utils.py; the Llamas of torchtitan and Hugging Face. Biases are
// in products' epilogues (addmm). Left out: the memory it keeps longer; operands that a kernel
// finds in cache. Wrong for: torch.compile, XLA, and Apex's, Liger's or xFormers' kernels
// (`kernels: fused`).
#include "workload/transformer/eager.hpp"

namespace pipewright::transformer {
namespace {

double bytes_each(const Share& share, double eager, double fused) {
  return share.options.kernels.eager ? eager - fused : 0;
}

}  // namespace

double eager_norm(const Share& share, Direction direction, double numbers) {
  const double e = share.element;
  const bool forward = direction == Direction::forward;
  if (share.shape.norm == Norm::layernorm)
    return numbers * bytes_each(share, forward ? 2 * e : 5 * e, forward ? 2 * e : 3 * e);
  return numbers *
         (forward ? bytes_each(share, 4 * e + 28, 2 * e) : bytes_each(share, 8 * e + 60, 3 * e));
}

double eager_gate(const Share& share, Direction direction, double numbers) {
  const double e = share.element;
  return numbers * (direction == Direction::forward ? bytes_each(share, 5 * e, 3 * e)
                                                    : bytes_each(share, 9 * e, 5 * e));
}

double eager_rotation(const Share& share, double numbers) {
  return numbers * bytes_each(share, 2 * share.element + 16, 2 * share.element);
}

double eager_dropout(const Share& share, double numbers) {
  return share.shape.dropout ? numbers * bytes_each(share, 2 * share.element, 0) : 0;
}

double eager_softmax(const Share& share, Direction direction, int64_t keys, double numbers) {
  constexpr int64_t longest_of_a_warp = 1024;
  const int operands = direction == Direction::forward ? 1 : 2;
  return keys > longest_of_a_warp ? numbers * bytes_each(share, operands * share.element, 0) : 0;
}

double eager_projections(const Share& share, double numbers) {
  return numbers * bytes_each(share, 2 * share.element, 0);
}

}  // namespace pipewright::transformer
