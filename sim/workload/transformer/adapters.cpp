// Low-rank adapters (LoRA, arXiv 2106.09685): beside Y = X W, whose W is frozen, stands
// Y += (X A) B with A of `in` by r and B of r by `out`. Only A and B have gradients.
//
// With n tokens of a device the adapter adds, in 16 bits whatever the precision:
//   forward   X A, and (X A) B, which adds to Y
//   backward  dH = dY B^T, and dX += dH A^T, for the input; A and B each have a product for theirs
//   kept      X A; X is kept as without an adapter
// A column-parallel product has all of A and its columns of B on every device, a row-parallel one
// its rows of A and all of B, as Megatron Bridge's ParallelLinearAdapter holds what is not cut.
// Products that no tensor rank cuts (routers, projections to a low rank) have none, nor have the
// embedding and the head. The routed experts of a device have none, one for each of their products
// (Megatron Bridge, peft/lora.py, share_expert_adapters), or one each, by products of a part for
// every expert (its GroupedExpertLinearAdapter; PEFT's target_parameters).
//
// peft keeps adapters in fp32 beside weights in 16 bits (autocast_adapter_dtype), one beside each
// product of plain PyTorch. With w = 4 bytes, e = 2, of X and Y = (X A) B a number each:
//   forward   X cast, e + w; Y times a factor 2 w, added to the layer's e + 2 w, cast w + e
//   backward  dY cast e + w, its part for the layer cast w + e, times the factor 2 w; dX cast w + e
//             and added to the layer's 3 e
//   kept      X in fp32, for each adapter its own; the layer keeps none, whose weights are frozen
// Casts to fp32 and the sum of unlike formats have no vector loads. Products are in fp32, which
// PyTorch computes without tensor cores unless it is told otherwise (allow_tf32).
// Source: huggingface/peft 5d602fdb, src/peft/tuners/lora/layer.py (Linear.forward),
// tuners_utils.py (_cast_input_dtype). Left out: dropout on X; that such weights take 4 bytes;
// the collective over r numbers a token of a row-parallel product, which the one over its output
// hides; that PEFT adds an expert's adapter to its weights before the product.
#include "workload/transformer/adapters.hpp"

#include <algorithm>

#include "base/units.hpp"

namespace pipewright::transformer {
namespace {

/// One of the two products: Y[n, out] = X[n, in] W.
struct LowRank {
  int64_t n, in, out;
  int64_t count = 1;                                 ///< of such products, side by side
  bool adds_forward = false, adds_backward = false;  ///< to what is there
};

DType type_of(const Share& share) {
  return share.options.wide_adapters ? DType::fp32 : share.dtype;
}

double element(const Share& share) { return element_bytes(type_of(share)); }

void add_product(const Share& share, const LowRank& d, Operation& operation) {
  const double e = element(share) * as_double(d.count), w = e * as_double(d.in) * as_double(d.out);
  const double x = e * as_double(d.n) * as_double(d.in), y = e * as_double(d.n) * as_double(d.out);
  const DType dtype = type_of(share);
  const double gradient =
      w / element(share) *
      (share.options.wide_adapters ? element(share) : element_bytes(share.options.gradients));
  operation.forward.push_back(
      with_weights(gemm(dtype, Direction::forward, {d.count, d.n, d.out, d.in},
                        x + w + (d.adds_forward ? y : 0), y),
                   w));
  operation.adapter_gradients.push_back(gemm(
      dtype, Direction::weight_gradient, {d.count, d.out, d.in, d.n}, x + y + gradient, gradient));
}

void add_input_gradient(const Share& share, const LowRank& d, Operation& operation) {
  const double e = element(share) * as_double(d.count), w = e * as_double(d.in) * as_double(d.out);
  const double x = e * as_double(d.n) * as_double(d.in), y = e * as_double(d.n) * as_double(d.out);
  operation.input_gradient.push_back(
      with_weights(gemm(type_of(share), Direction::input_gradient, {d.count, d.n, d.in, d.out},
                        y + w + (d.adds_backward ? x : 0), x),
                   w));
}

/// Bytes of X A, by the product of A's gradient.
double kept_between(const Share& share, const Work& gradient) {
  return element(share) *
         as_double(gradient.shape[0] * gradient.shape[3] * share.options.adapter_rank);
}

/// Adds the two products beside one of `whole`'s rows, columns and depth.
void add_pair(const Share& share, const LowRank& whole, Operation& operation) {
  LowRank down = whole, up = whole;
  down.out = up.in = share.options.adapter_rank;
  down.adds_backward = up.adds_forward = !share.options.wide_adapters;
  add_product(share, down, operation);
  add_product(share, up, operation);
  add_input_gradient(share, up, operation);
  add_input_gradient(share, down, operation);
  operation.trained =
      as_double(whole.count * share.options.adapter_rank) * as_double(whole.in + whole.out);
  operation.device_parameters += *operation.trained;
}

Work pass(const Share& share, Direction direction, double read, double written, double singles) {
  Work work = stream(share, Kernel::elementwise, direction, read, written);
  if (share.options.kernels.operators != Operators::fused) work.singles = singles;
  return work;
}

/// Adds what stands around adapters in fp32: casts of what they read, one for each, and of what
/// they give with what it is added to; backward casts and sums of both gradients.
void add_widening(const Share& share, const LowRank& d, Operation& operation) {
  const double rows = as_double(d.count) * as_double(d.n), e = share.element, w = 4;
  const double x = rows * as_double(d.in), y = rows * as_double(d.out);
  const auto forward = Direction::forward, backward = Direction::input_gradient;
  operation.forward.push_back(pass(share, forward, e * x, w * x, x));
  operation.forward.push_back(pass(share, forward, (3 * w + e) * y, (2 * w + e) * y, y));
  operation.input_gradient.push_back(pass(share, backward, (e + 2 * w) * y, (2 * w + e) * y, y));
  operation.input_gradient.push_back(pass(share, backward, (w + 2 * e) * x, 2 * e * x, 0));
  operation.copies += w * x;
}

}  // namespace

void add_adapter(const Share& share, const Linear& linear, Operation& operation) {
  const int64_t rank = share.options.adapter_rank, t = share.options.tensor;
  if (rank == 0 || linear.split == Split::none) return;
  const bool wide = share.options.wide_adapters;
  // peft's products stand beside plain PyTorch's, of which one of ours may be several.
  const int64_t count = wide ? std::max<int64_t>(linear.readers.value_or(1), 1) : 1;
  const int64_t in = linear.split == Split::row ? linear.in / t : linear.in;
  const int64_t out = linear.split == Split::column ? linear.out / t : linear.out;
  const LowRank pair{.n = linear.tokens, .in = in, .out = out / count, .count = count};
  if (wide) add_widening(share, pair, operation);
  add_pair(share, pair, operation);
  const double all = as_double(rank) * as_double(count * in + out);
  operation.device_parameters += all - operation.trained.value_or(0);
  operation.trained = all;
  operation.parameters += as_double(rank) * as_double(count * linear.in + linear.out);
}

void add_expert_adapter(const Share& share, const ExpertProduct& product, Operation& operation) {
  const ExpertAdapters form = share.options.expert_adapters;
  if (share.options.adapter_rank == 0 || form == ExpertAdapters::none) return;
  const bool shared = form == ExpertAdapters::shared;
  const int64_t count = shared ? 1 : product.experts;
  add_pair(share,
           {.n = product.rows * (shared ? product.experts : 1),
            .in = product.in,
            .out = product.out,
            .count = count},
           operation);
  const double trained = operation.trained.value_or(0);
  operation.trained_experts = trained;
  operation.device_expert_parameters += trained;
  operation.parameters +=
      as_double(share.options.adapter_rank * count * share.options.expert) * product.whole_sides;
}

void leave_out_backward(Layer& layer) {
  layer.recompute.clear();
  layer.input_gradient.clear();
  layer.weight_gradient.clear();
  layer.stash = layer.leaves = Bytes{};
  layer.passing = {};
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
