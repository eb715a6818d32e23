// Chunked mixers: products within a chunk, and a state that goes from chunk to chunk.
//
// A chunk has Q tokens; what is shorter than a chunk is one by itself, and a ragged end counts as
// whole. The states that a chunk begins with follow from those that the chunks before it end with:
// a pass over all states, in fp32, forward, and in the backward pass once again and once back. The
// backward pass makes what kernels do not keep once more, then two products for each.
// The convolution is one kernel of 2 taps FLOPs a number, as causal_conv1d; its gradient reads the
// input and the output's gradient. Decays, gates and norms of keys go with the kernels around.
// Left out: what fused kernels keep on the chip beyond what each mixer's file says.
#include "workload/transformer/chunks.hpp"

#include "base/units.hpp"
#include "workload/transformer/eager.hpp"

namespace pipewright::transformer {
namespace {

Work product(const Share& share, Direction direction, const ChunkProduct& p, double read,
             double written) {
  return gemm(share.dtype, direction, p.shape, read, written);
}

}  // namespace

Chunks chunks_of(const Share& share, int64_t length) {
  const int64_t sequence = share.options.sequence, q = std::min(length, sequence);
  return {.length = q, .count = share.options.micro_batch * ((sequence + q - 1) / q)};
}

Operation chunked(const Share& share, const ChunkedCore& core) {
  Operation operation{.part = Part::attention};
  const auto forward = Direction::forward, backward = Direction::input_gradient;
  const auto pass = [&](Direction direction) {
    return stream(share, Kernel::elementwise, direction, core.states, core.states);
  };
  for (const ChunkProduct& p : core.products)
    operation.forward.push_back(product(share, forward, p, p.read, p.written));
  operation.forward.push_back(pass(forward));
  for (const ChunkProduct& p : core.again)
    operation.input_gradient.push_back(product(share, backward, p, p.read, p.written));
  operation.input_gradient.insert(operation.input_gradient.end(), 2, pass(backward));
  for (const ChunkProduct& p : core.products)
    operation.input_gradient.insert(
        operation.input_gradient.end(), 2,
        product(share, backward, p, p.read / 2 + p.written, p.read / 2));
  operation.saved = core.saved;
  operation.model_flops = core.model_flops;
  return operation;
}

Operation convolution(const Share& share, const Convolution& c) {
  const double bytes = share.bytes(c.channels), t = as_double(share.options.tensor);
  const double weights = as_double(c.channels) * as_double(c.taps + (c.bias ? 1 : 0));
  const double flops = 2 * as_double(share.tokens) * as_double(c.channels) * as_double(c.taps);
  const auto kernel = [&](Direction direction, double read, double written) {
    Work work = stream(share, Kernel::elementwise, direction, read, written);
    work.flops = flops;
    return work;
  };
  Operation operation{.part = Part::attention};
  operation.forward = {kernel(Direction::forward, bytes, bytes)};
  operation.input_gradient = {kernel(Direction::input_gradient, 2 * bytes, bytes)};
  operation.weight_gradient = {kernel(Direction::weight_gradient, 2 * bytes, 4 * weights)};
  operation.saved = bytes;
  operation.device_parameters = weights;
  operation.parameters = weights * t;
  operation.model_flops = 2 * share.all_tokens * as_double(c.channels) * t * as_double(c.taps);
  return operation;
}

Operation gated_norm(const Share& share, const GatedNorm& norm) {
  const double bytes = share.bytes(norm.width), numbers = bytes / share.element;
  Operation operation{.part = Part::inner_norm};
  operation.forward = {norm_pass(share, Direction::forward, numbers, 2 * bytes, bytes)};
  operation.input_gradient = {
      norm_pass(share, Direction::input_gradient, numbers, 3 * bytes, 2 * bytes)};
  operation.parameters = norm.gains;
  operation.device_parameters =
      norm.is_cut ? norm.gains / as_double(share.options.tensor) : norm.gains;
  return operation;
}

Operation head_parameters(const Share& share, double count) {
  Operation operation;
  operation.parameters = count;
  operation.device_parameters = count / as_double(share.options.tensor);
  return operation;
}

Operation mixer_inputs(const Share& share, int64_t out, bool bias) {
  Operation operation = linear(share, {.in = share.shape.hidden,
                                       .out = out,
                                       .split = Split::column,
                                       .tokens = share.tokens,
                                       .bias = bias});
  operation.saved = share.bytes(out / share.options.tensor);
  return operation;
}

}  // namespace pipewright::transformer
