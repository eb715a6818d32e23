// Gated linear recurrent units (RG-LRU; Griffin, arXiv 2402.19427; transformers,
// recurrent_gemma/modeling_recurrent_gemma.py).
//
// One product makes x and y, each W channels wide. A convolution mixes x of four tokens; blocks of
// its channels make two gates each, r and i; every channel keeps one number,
//   h = a h' + sqrt(1 - a^2) (i x)   with   log a = -8 softplus(L) r,
// and h times GELU(y) goes back through a product. All products add a bias. Gates are two products
// of W / blocks by W / blocks for each block. The recurrence is one kernel that streams (section
// 4.2): it reads x and both gates and writes h; its gradient reads those, h and h's gradient and
// writes three. It runs in fp32 beside the matrix units, 2 FLOPs a channel and token, as many again
// and two more for each in the backward pass. The product with y is a kernel by itself.
//
// Under tensor parallelism blocks of gates are cut. The state passes through a whole sequence:
// context parallelism is refused. Left out: that exponentials and roots are slower than products.
#include "base/required.hpp"
#include "base/units.hpp"
#include "workload/transformer/chunks.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {
namespace {

constexpr int gates = 2;
constexpr double flops_a_channel = 2;

/// The products that make the gates, of each block of channels by itself.
Operation block_gates(const Share& share, const GatedRecurrence& r) {
  const int64_t blocks = r.blocks / share.options.tensor, width = r.block_width();
  const double one = share.bytes(blocks * width);
  const double numbers = as_double(blocks * width * width);
  const double weights = share.element * numbers;
  const double gradient = element_bytes(share.options.gradients) * numbers;
  Operation operation{.part = Part::attention};
  for (int gate = 0; gate < gates; ++gate) {
    const std::array<int64_t, 4> product{blocks, share.tokens, width, width};
    operation.forward.push_back(
        with_weights(gemm(share.dtype, Direction::forward, product, one + weights, one), weights));
    operation.input_gradient.push_back(with_weights(
        gemm(share.dtype, Direction::input_gradient, product, one + weights, one), weights));
    operation.weight_gradient.push_back(gemm(share.dtype, Direction::weight_gradient,
                                             {blocks, width, width, share.tokens},
                                             2 * one + gradient, gradient));
    operation.weight_gradient.push_back(stream(share, Kernel::elementwise,
                                               Direction::weight_gradient, one,
                                               4 * as_double(blocks * width)));
  }
  operation.saved = gates * one;
  operation.device_parameters = gates * (numbers + as_double(blocks * width));
  operation.parameters = operation.device_parameters * as_double(share.options.tensor);
  operation.model_flops =
      2 * gates * share.all_tokens * as_double(r.width) * as_double(r.block_width());
  return operation;
}

Operation recurrence(const Share& share, const GatedRecurrence& r) {
  const int64_t channels = r.width / share.options.tensor;
  const double one = share.bytes(channels);
  const double flops = flops_a_channel * as_double(share.tokens) * as_double(channels);
  const auto kernel = [&](Direction direction, double read, double written, double times) {
    Work work = stream(share, Kernel::elementwise, direction, read, written);
    work.dtype = DType::fp32;
    work.flops = times * flops;
    return work;
  };
  Operation operation{.part = Part::attention};
  operation.forward = {kernel(Direction::forward, 3 * one, one, 1)};
  operation.input_gradient = {kernel(Direction::input_gradient, 5 * one, 3 * one, 3)};
  operation.saved = one;
  operation.parameters = as_double(r.width);  // L
  operation.device_parameters = as_double(channels);
  operation.model_flops = flops_a_channel * share.all_tokens * as_double(r.width);
  return operation;
}

/// h times GELU(y).
Operation gated(const Share& share, const GatedRecurrence& r) {
  const double one = share.bytes(r.width / share.options.tensor);
  Operation operation{.part = Part::attention};
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, 2 * one, one)};
  operation.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, 3 * one, 2 * one)};
  return operation;
}

}  // namespace

Operations gated_recurrence(const Share& share) {
  const GatedRecurrence& r =
      required(share.shape.kinds.gated_recurrence, "dimensions of gated recurrences");
  const int64_t channels = r.width / share.options.tensor;
  return {enter_region(share, Part::other, share.shape.hidden),
          mixer_inputs(share, 2 * r.width, true),
          convolution(share, {channels, r.convolution, true}),
          block_gates(share, r),
          recurrence(share, r),
          gated(share, r),
          output_projection(share, channels, true)};
}

}  // namespace pipewright::transformer
