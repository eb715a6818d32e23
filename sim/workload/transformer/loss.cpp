// Logits, X W^T, and softmax cross entropy over a vocabulary V cut over t tensor ranks. For n
// tokens, e bytes a number of the run's precision, bytes a logit:
//
//   fp32     a cast, and kernels that a compiler has fused: forward reads e + 4 and writes 8,
//            backward reads 8 and writes 4 + e. Keeps 4 of probabilities (arXiv 2205.05198); an
//            fp32 gradient and its copy in the run's precision come on top in the backward pass.
//   steps    the same, an operator a pass: cast e + 4, maximum 4, difference 8, exponential 8, sum
//   4,
//            quotient 8; backward a product in place, 8, and the cast back, 4 + e. Tensor ranks
//            agree on maximum, target and sum one after the other (NVIDIA/Megatron-LM,
//            core/tensor_parallel/cross_entropy.py; huggingface/nanotron,
//            parallel/tensor_parallel/functional.py).
//   fused    reads the logits once in each pass and leaves the gradient in their place: 2 e and 2
//   e.
//            Keeps e (Dao-AILab/flash-attention, ops/triton/cross_entropy.py; Liger, arXiv
//            2410.10989).
//   chunked  makes the logits of some tokens, their loss in place, and the gradients of input and
//            table, then those of the next. All that is in the forward pass. It keeps the two
//            gradients, which the backward pass scales, and holds the logits of one chunk. Chunks
//            are min(n, 2^ceil(log2(n / ceil(V / h)))) tokens (linkedin/Liger-Kernel,
//            ops/fused_linear_cross_entropy.py), so that logits take about what hidden states do.
//
//   torch    a cast, e + 4 (one by one, roofline.cpp); log_softmax reads three times, writes: 16;
//            backward nll_loss fills zeros, 4, log_softmax reads gradients and results, one of them
//            again, and writes, 16; the cast back, 4 + e. Keeps 4, and holds two fp32 gradients at
//            once (PyTorch, aten/src/ATen/native/cuda/SoftMax.cu: rows longer than shared memory;
//            LossNLL.cpp; huggingface/transformers, loss/loss_utils.py). The target's logit alone
//            is read and written beside.
//
// Where logits are capped (Gemma 2, arXiv 2408.00118), a pass over them comes on top; fused and
// chunked losses have it among their own. All products here stay out of fp8 and nvfp4. Left out:
// kernels over a number a token.
#include <algorithm>
#include <bit>

#include "base/units.hpp"
#include "workload/transformer/autocast.hpp"
#include "workload/transformer/share.hpp"
#include "workload/transformer/tensor_grid.hpp"

namespace pipewright::transformer {
namespace {

int64_t divide_up(int64_t n, int64_t parts) { return (n + parts - 1) / parts; }

Operation logits_on_grid(const Share& rows) {
  Operation operation = linear(rows, {.in = rows.shape.hidden,
                                      .out = device_vocabulary(rows) * rows.options.tensor,
                                      .split = Split::column,
                                      .tokens = rows.tokens});
  if (rows.shape.ends.tied) operation.parameters = operation.device_parameters = 0;
  return operation;
}

/// The logits' columns as they lie in memory: Megatron-LM pads the vocabulary, and PyTorch's
/// compiler the product (torch/_inductor/fx_passes/pad_mm.py), so that rows are aligned. PyTorch's
/// operators take it as it is. No FLOP is counted for it.
int64_t aligned(const Share& rows, int64_t vocabulary) {
  constexpr int64_t whole_copy = 8;  // numbers of 16 bits in 16 bytes
  const bool pads = rows.options.kernels.operators == Operators::fused;
  return pads ? divide_up(vocabulary, whole_copy) * whole_copy : vocabulary;
}

/// The logits' product, in the activations' type.
Operation logits(const Share& rows) {
  if (!rows.options.tensor_grid.is_line()) return logits_on_grid(rows);
  const int64_t hidden = rows.shape.hidden, vocabulary = device_vocabulary(rows);
  const double e = rows.element, w = as_double(hidden) * as_double(vocabulary);
  const double x = e * as_double(rows.tokens) * as_double(hidden);
  const double y = e * as_double(rows.tokens) * as_double(vocabulary);
  const double gradient = weight_gradient_bytes(rows, w);
  const double sum = rows.options.autocast ? 0 : gradient;
  Operation operation;
  operation.forward = {with_weights(
      gemm(rows.dtype, Direction::forward, {1, rows.tokens, vocabulary, hidden}, x + e * w, y),
      e * w)};
  operation.input_gradient = {with_weights(gemm(rows.dtype, Direction::input_gradient,
                                                {1, rows.tokens, hidden, vocabulary}, y + e * w, x),
                                           e * w)};
  operation.weight_gradient = {gemm(rows.dtype, Direction::weight_gradient,
                                    {1, vocabulary, hidden, rows.tokens}, y + x + sum, gradient)};
  operation.forward.front().shape[2] = operation.input_gradient.front().shape[3] =
      operation.weight_gradient.front().shape[1] = aligned(rows, vocabulary);
  add_autocasts(rows, {.input = x / e, .weights = w}, operation);
  const double parameters = as_double(hidden) * as_double(rows.shape.ends.vocabulary);
  operation.model_flops = 2 * rows.all_tokens * parameters;
  if (!rows.shape.ends.tied) {
    operation.parameters = parameters;
    operation.device_parameters = w;
  }
  return operation;
}

/// A row's numbers in fp32, of which the tensor group takes the sum or the largest.
std::optional<CollectiveWork> agreed(const Share& rows, int64_t numbers) {
  if (rows.options.tensor == 1) return std::nullopt;
  const Axis axis = rows.options.tensor_grid.is_line() ? rows.tensor_axis : width_axis(rows, true);
  return CollectiveWork{CollectiveKind::all_reduce, axis, Bytes{4 * numbers * rows.tokens}};
}

/// Bytes of all logits of a device, in the run's precision and in fp32.
struct LogitBytes {
  double narrow, wide;
};

LogitBytes logit_bytes(const Share& rows) {
  const double numbers = as_double(rows.tokens) * as_double(device_vocabulary(rows));
  return {rows.element * numbers, 4 * numbers};
}

Operation fused_loss(const Share& rows) {
  const double narrow = logit_bytes(rows).narrow;
  Operation operation;
  operation.forward = {stream(rows, Kernel::fused_loss, Direction::forward, narrow, narrow)};
  operation.input_gradient = {
      stream(rows, Kernel::fused_loss, Direction::input_gradient, narrow, narrow)};
  operation.forward_collective = agreed(rows, 3);  // maximum, target and sum
  operation.saved = narrow;
  return operation;
}

Operation compiled_loss(const Share& rows) {
  const auto [narrow, wide] = logit_bytes(rows);
  Operation operation;
  operation.forward = {
      stream(rows, Kernel::cross_entropy, Direction::forward, narrow + wide, 2 * wide)};
  operation.input_gradient = {
      stream(rows, Kernel::cross_entropy, Direction::input_gradient, 2 * wide, wide + narrow)};
  operation.forward_collective = agreed(rows, 3);
  operation.saved = wide;
  return operation;
}

Operation loss_in_steps(const Share& rows) {
  const auto [narrow, wide] = logit_bytes(rows);
  const auto pass = [&](Direction direction, double read, double written) {
    return stream(rows, Kernel::cross_entropy, direction, read, written);
  };
  const Direction forward = Direction::forward, backward = Direction::input_gradient;
  const std::optional<CollectiveWork> agreement = agreed(rows, 1);
  Operation operation;
  operation.forward = {pass(forward, narrow, wide), pass(forward, wide, 0)};  // cast, maximum
  operation.forward_collective = agreement;
  operation.forward_steps = {
      {.kernels = {pass(forward, wide, wide)}, .collective = agreement},  // difference; target
      {.kernels = {pass(forward, wide, wide), pass(forward, wide, 0)},    // exponential, sum
       .collective = agreement},
      {.kernels = {pass(forward, wide, wide)}, .collective = {}}};  // quotient
  operation.input_gradient = {pass(backward, wide, wide), pass(backward, wide, narrow)};
  operation.saved = wide;
  return operation;
}

/// PyTorch's operators, whose gradients live one beside the other.
Operations losses_of_torch(const Share& rows) {
  const auto [narrow, wide] = logit_bytes(rows);
  const auto pass = [&](Direction direction, double read, double written) {
    return stream(rows, Kernel::cross_entropy, direction, read, written);
  };
  const Direction forward = Direction::forward, backward = Direction::input_gradient;
  Operation cast, softmax, likelihood;
  cast.forward = {pass(forward, narrow, wide)};
  cast.forward.front().singles = wide / 4;
  cast.input_gradient = {pass(backward, wide, narrow)};
  softmax.forward = {pass(forward, 3 * wide, wide)};
  softmax.input_gradient = {pass(backward, 3 * wide, wide)};
  softmax.saved = wide;
  softmax.forward_collective = agreed(rows, 3);
  likelihood.input_gradient = {pass(backward, 0, wide)};
  return {cast, softmax, likelihood};
}

Operation cross_entropy(const Share& rows) {
  switch (rows.options.kernels.loss.kernel) {
    case LossKernel::fused:
    case LossKernel::chunked:
      return fused_loss(rows);
    case LossKernel::steps:
      return loss_in_steps(rows);
    case LossKernel::fp32:
    case LossKernel::torch:
      break;
  }
  return compiled_loss(rows);
}

/// Tokens of a chunk.
int64_t chunk_tokens(const Share& rows) {
  const int64_t tokens = std::max<int64_t>(rows.tokens, 1);
  if (const int64_t chunks = rows.options.kernels.loss.chunks; chunks > 0)
    return divide_up(tokens, std::min(chunks, tokens));
  const int64_t wider = divide_up(device_vocabulary(rows), rows.shape.hidden);
  const auto share = static_cast<uint64_t>(divide_up(tokens, wider));
  return std::min(tokens, static_cast<int64_t>(std::bit_ceil(share)));
}

/// `whole`, a kernel over all tokens, as kernels over a chunk each. A gradient of the table that
/// all chunks add to is read and written by each.
Work by_chunks(const Share& rows, Work whole) {
  const int64_t chunks = divide_up(rows.tokens, chunk_tokens(rows));
  const bool is_gemm = whole.kernel == Kernel::gemm;
  const bool adds = whole.direction == Direction::weight_gradient;
  if (adds) whole.read += (chunks - 1) * whole.written;
  if (adds) whole.written = chunks * whole.written;
  if (is_gemm) {
    int64_t& tokens = whole.shape[adds ? 3 : 1];
    tokens = divide_up(tokens, chunks);
    if (!adds) {  // the table is read again
      whole.read += (chunks - 1) * whole.weights;
      whole.weights = chunks * whole.weights;
    }
  }
  whole.shape[0] = chunks;
  whole.in_turn = true;
  return whole;
}

Operation loss_by_chunks(const Share& rows) {
  Operation operation = logits(rows);
  const Operation entropy = fused_loss(rows);
  const double x = rows.element * as_double(rows.tokens) * as_double(rows.shape.hidden);
  const double table =
      rows.element * as_double(device_vocabulary(rows)) * as_double(rows.shape.hidden);
  const double gradient = table / rows.element * element_bytes(rows.options.gradients);
  std::vector<Work> forward;
  for (const Work& work : {operation.forward.front(), entropy.forward.front(),
                           operation.input_gradient.front(), operation.weight_gradient.front()})
    forward.push_back(by_chunks(rows, work));
  operation.forward = std::move(forward);
  operation.input_gradient = {stream(rows, Kernel::elementwise, Direction::input_gradient, x, x)};
  operation.weight_gradient = {
      stream(rows, Kernel::elementwise, Direction::weight_gradient, table + gradient, gradient)};
  operation.saved = x + table;
  return operation;
}

/// A tanh of the logits, which a fused loss has among its own.
Operation capped(const Share& rows) {
  const double bytes = rows.element * as_double(rows.tokens) * as_double(device_vocabulary(rows));
  Operation operation;
  operation.forward = {stream(rows, Kernel::elementwise, Direction::forward, bytes, bytes)};
  operation.input_gradient = {
      stream(rows, Kernel::elementwise, Direction::input_gradient, 2 * bytes, bytes)};
  operation.saved = bytes;
  return operation;
}

}  // namespace

int64_t device_vocabulary(const Share& share) {
  return divide_up(share.shape.ends.vocabulary, share.options.tensor);
}

double table_numbers(const Share& share) {
  return as_double(device_vocabulary(share)) * as_double(share.shape.hidden);
}

Operations loss(const Share& rows) {
  const LossKernel kernel = rows.options.kernels.loss.kernel;
  if (kernel == LossKernel::chunked) return {loss_by_chunks(rows)};
  Operations operations{logits(rows)};
  if (rows.shape.ends.soft_cap && kernel != LossKernel::fused) operations.push_back(capped(rows));
  if (kernel == LossKernel::torch)
    append(operations, losses_of_torch(rows));
  else
    operations.push_back(cross_entropy(rows));
  return operations;
}

double loss_workspace(const Share& rows) {
  const double vocabulary = as_double(device_vocabulary(rows));
  const bool chunked = rows.options.kernels.loss.kernel == LossKernel::chunked;
  return rows.element * vocabulary * as_double(chunked ? chunk_tokens(rows) : rows.shape.hidden);
}

}  // namespace pipewright::transformer
