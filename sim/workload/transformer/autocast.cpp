// torch.autocast: weights, their gradients and the optimizer's state in fp32, products in 16 bits.
//
// Operators by what autocast does to them on CUDA:
//   16 bits   products, convolutions, fused attention: they cast weights and what they read
//   fp32      layer_norm, softmax, log_softmax, nll_loss, pow, rsqrt, exp, sum, norm
//   as given  all others: additions and products of tensors in the wider format of their operands;
//             gelu, silu, dropout, mean, batch norms in their input's
//
// The embedding's table is in fp32, and so is what blocks add branches to. Bytes for a number, e
// being 2 and w 4, beside what the same operators move in fp32 (eager.cpp):
//   weights   cast before a product, e + w. The result waits for the backward pass, e; autocast
//             keeps it for the rest of the region, which is one forward pass, so that every
//             micro-batch casts anew, and so does a block that is run again. The gradient of a
//             product is in 16 bits and cast, e + w; it is added to what is there
//             (gradient_sums.cpp)
//   inputs    what a norm gives is in fp32. Each product that reads it casts it for itself, e + w,
//             and keeps the result, e: only leaves are in autocast's cache. Backward each gradient
//             is cast, e + w, and the casts of several products are added, 3 w
//   sums      a branch in 16 bits is added to the stream: e + 2 w; its gradient is cast, w + e
//   rotation  cosines and sines have the stream's format (transformers, modeling_rope_utils.py), so
//             that queries and keys come to be in fp32, and fused attention casts them: 6 e + 6 w;
//             backward 16 e + 7 w
// A cast to fp32 and a sum of unlike formats have no vector loads (roofline.cpp). Under a compiler
// (kernels: fused) the casts of inputs are in the kernels before and behind them.
//
// GPT-2, BLOOM, MPT, GPT-NeoX and Falcon make queries, keys and values by one product; Llama, BERT
// and most others by three, and two in a gated MLP: layer norms in a decoder tell them apart.
//
// Source: PyTorch, aten/src/ATen/autocast_mode.h (AT_FORALL_LOWER_PRECISION_FP, AT_FORALL_FP32,
// AT_FORALL_FP32_SET_OPT_DTYPE, AT_FORALL_PROMOTE), autocast_mode.cpp (cached_cast, clear_cache);
// torch/csrc/autograd/engine.cpp (validate_outputs casts gradients to their input's format).
// Left out: the scaling of the loss in fp16, biases' casts, casts of experts' rows, convolutions'
// casts of weights as kernels of their own, the cache beside blocks that are run again, which is
// given up before their backward pass.
#include "workload/transformer/autocast.hpp"

namespace pipewright::transformer {
namespace {

constexpr double wide = 4;

/// From fp32, or to it, which has no vector loads.
Work cast(const Share& share, Direction direction, double numbers, bool widens) {
  const double from = widens ? share.element : wide, to = widens ? wide : share.element;
  Work work = stream(share, Kernel::elementwise, direction, from * numbers, to * numbers);
  if (widens && runs_eagerly(share)) work.singles = numbers;
  return work;
}

/// Casts of what products read, each for itself, and backward of their gradients, with their sum.
void cast_inputs(const Share& share, const CastOperands& operands, Operation& operation) {
  if (operands.input == 0 || !runs_eagerly(share)) return;
  const auto readers = static_cast<double>(operands.readers);
  const double added = 3 * wide * operands.input * (readers - 1);
  operation.forward.insert(operation.forward.begin(),
                           cast(share, Direction::forward, readers * operands.input, false));
  Work back = cast(share, Direction::input_gradient, readers * operands.input, true);
  back.read += whole_bytes(added * 2 / 3);
  back.written += whole_bytes(added / 3);
  operation.input_gradient.push_back(back);
  operation.copies += (readers - 1) * share.operand * operands.input;
}

}  // namespace

bool runs_eagerly(const Share& share) {
  return share.options.kernels.operators != Operators::fused;
}

void add_autocasts(const Share& share, const CastOperands& operands, Operation& operation) {
  if (!share.options.autocast) return;
  operation.copies += share.element * operands.weights;
  operation.weight_gradient.push_back(
      cast(share, Direction::weight_gradient, operands.weights, true));
  operation.forward.insert(operation.forward.begin(),
                           cast(share, Direction::forward, operands.weights, false));
  cast_inputs(share, operands, operation);
}

double weight_gradient_bytes(const Share& share, double numbers) {
  const bool casts = share.options.autocast;
  return numbers * (casts ? share.element : element_bytes(share.options.gradients));
}

double kept_operand(const Share& share) { return share.options.wide_adapters ? 0 : share.operand; }

bool activates_wide(const Share& share) {
  return runs_eagerly(share) && share.shape.activation == Activation::gelu_new;
}

double normed_element(const Share& share) {
  return share.options.autocast && runs_eagerly(share) ? wide : share.element;
}

int64_t projection_readers(const Share& share) {
  const bool joined = share.shape.norm == Norm::layernorm && !share.shape.encoder;
  return joined ? 1 : 3;
}

int64_t gate_readers(const Share& share) { return share.shape.gated ? 2 : 1; }

}  // namespace pipewright::transformer
