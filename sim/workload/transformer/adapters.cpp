// Low-rank adapters (LoRA, arXiv 2106.09685): beside Y = X W, whose W is frozen, stands
// Y += (X A) B with A of `in` by r and B of r by `out`. Only A and B have gradients.
//
// With n tokens of a device the adapter adds, in 16 bits whatever the precision:
//   forward   X A, and (X A) B, which adds to Y
//   backward  dH = dY B^T, and dX += dH A^T, for the input; A and B each have a product for theirs
//   kept      X A; X is kept as without an adapter
// A column-parallel product has all of A and its columns of B on every device, a row-parallel one
// its rows of A and all of B, as Megatron Bridge's ParallelLinearAdapter holds what is not cut.
// Products that no tensor rank cuts (routers, projections to a low rank) and routed experts have
// none, nor have the embedding and the head. Left out: dropout on X; the collective over r numbers
// a token of a row-parallel product, which the one over its output hides.
#include "workload/transformer/adapters.hpp"

#include "base/units.hpp"

namespace pipewright::transformer {
namespace {

/// One of the two products: Y[n, out] = X[n, in] W.
struct LowRank {
  int64_t n, in, out;
  bool adds_forward = false, adds_backward = false;  ///< to what is there
};

void add_product(const Share& share, const LowRank& d, Operation& operation) {
  const double e = share.element, w = e * as_double(d.in) * as_double(d.out);
  const double x = e * as_double(d.n) * as_double(d.in), y = e * as_double(d.n) * as_double(d.out);
  const double gradient = w / e * element_bytes(share.options.gradients);
  operation.forward.push_back(
      with_weights(gemm(share.dtype, Direction::forward, {1, d.n, d.out, d.in},
                        x + w + (d.adds_forward ? y : 0), y),
                   w));
  operation.adapter_gradients.push_back(gemm(share.dtype, Direction::weight_gradient,
                                             {1, d.out, d.in, d.n}, x + y + gradient, gradient));
}

void add_input_gradient(const Share& share, const LowRank& d, Operation& operation) {
  const double e = share.element, w = e * as_double(d.in) * as_double(d.out);
  const double x = e * as_double(d.n) * as_double(d.in), y = e * as_double(d.n) * as_double(d.out);
  operation.input_gradient.push_back(
      with_weights(gemm(share.dtype, Direction::input_gradient, {1, d.n, d.in, d.out},
                        y + w + (d.adds_backward ? x : 0), x),
                   w));
}

/// Bytes of X A, by the product of A's gradient.
double kept_between(const Share& share, const Work& gradient) {
  return share.element * as_double(gradient.shape[3] * share.options.adapter_rank);
}

}  // namespace

void add_adapter(const Share& share, const Linear& linear, Operation& operation) {
  const int64_t rank = share.options.adapter_rank, t = share.options.tensor;
  if (rank == 0 || linear.split == Split::none) return;
  const int64_t in = linear.split == Split::row ? linear.in / t : linear.in;
  const int64_t out = linear.split == Split::column ? linear.out / t : linear.out;
  const LowRank down{.n = linear.tokens, .in = in, .out = rank, .adds_backward = true};
  const LowRank up{.n = linear.tokens, .in = rank, .out = out, .adds_forward = true};
  add_product(share, down, operation);
  add_product(share, up, operation);
  add_input_gradient(share, up, operation);
  add_input_gradient(share, down, operation);
  operation.parameters += as_double(rank) * as_double(linear.in + linear.out);
  operation.trained = as_double(rank) * as_double(in + out);
  operation.device_parameters += *operation.trained;
}

void freeze(const Share& share, Operations& operations) {
  for (Operation& operation : operations) {
    if (!operation.adapter_gradients.empty())
      operation.saved += kept_between(share, operation.adapter_gradients.front());
    operation.trained = operation.trained.value_or(0);
    operation.weight_gradient = std::move(operation.adapter_gradients);
    operation.weight_gradient_steps.clear();
  }
}

}  // namespace pipewright::transformer
