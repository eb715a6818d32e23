#include "kernels/cuda/backend.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {
namespace {

AttentionSizes sizes_of(const AttentionShape& s) {
  if (s.head_dim > most_head_dim)
    throw Failure(fmt::format("CUDA: attention heads of {} numbers are too wide, at most {}",
                              s.head_dim, most_head_dim));
  return {s.sequences, s.first, s.tokens, s.total, s.heads, s.kv_heads, s.head_dim, s.causal};
}

}  // namespace

void Attention::attention(const AttentionShape& shape, const Tensor& q, const Tensor& keys,
                          const Tensor& values, const Tensor& y, const Tensor& log_sums) {
  cuda::attention(streams_.stream(), sizes_of(shape), q, keys, values, y, log_sums);
}

void Attention::attention_gradient(const AttentionShape& shape, const Tensor& q, const Tensor& keys,
                                   const Tensor& values, const Tensor& y, const Tensor& log_sums,
                                   const Tensor& dy, const Tensor& dq, const Tensor& d_keys,
                                   const Tensor& d_values) {
  cuda::attention_gradient(streams_.stream(), sizes_of(shape), q, keys, values, y, log_sums, dy, dq,
                           d_keys, d_values);
}

void Attention::rotate(const RotaryShape& shape, Turn turn, const Tensor& x, const Tensor& y) {
  if (shape.head_dim > most_head_dim)
    throw Failure(fmt::format("CUDA: heads of {} numbers are too wide to be turned, at most {}",
                              shape.head_dim, most_head_dim));
  cuda::rotate(streams_.stream(), shape, turn == Turn::backward, x, y);
}

}  // namespace pipewright::kernels::cuda
