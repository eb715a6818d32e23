// The MLP of a block: h -> f, activation, f -> h; a gated one makes two products of width f and
// multiplies them. Bias and activation are one kernel, which keeps its inputs and its output.
#include "workload/transformer/eager.hpp"

namespace pipewright::transformer {

Operation activation(const Share& share, Part part, double rows, int64_t width) {
  const double numbers = rows * static_cast<double>(width);
  const double out = numbers * share.element;
  const double in = share.shape.gated ? 2 * out : out;
  Operation operation{.part = part};
  const auto forward = Direction::forward, backward = Direction::input_gradient;
  const auto more = [&](Direction direction) {
    return share.shape.gated ? eager_gate(share, direction, numbers) : 0;
  };
  operation.forward = {stream(share, Kernel::elementwise, forward, in + more(forward), out)};
  operation.input_gradient = {
      stream(share, Kernel::elementwise, backward, in + out + more(backward), in)};
  operation.saved_input = in;
  operation.saved = in + numbers * share.operand;
  if (share.shape.gated) operation.saved += eager_gate_kept(share, numbers);
  return operation;
}

Operations mlp(const Share& share, int64_t ffn, Part part) {
  const int64_t hidden = share.shape.hidden;
  const Operation up = linear(share, {.in = hidden,
                                      .out = share.shape.gated ? 2 * ffn : ffn,
                                      .split = Split::column,
                                      .part = part,
                                      .tokens = share.tokens});
  const Operation down = linear(
      share, {.in = ffn, .out = hidden, .split = Split::row, .part = part, .tokens = share.tokens});
  const double rows = static_cast<double>(share.tokens);
  return {up, activation(share, part, rows, ffn / share.options.tensor), down};
}

}  // namespace pipewright::transformer
