// The MLP of a block: h -> f, activation, f -> h; a gated one makes two products of width f and
// multiplies them. Bias and activation are one kernel, which keeps its inputs and its output.
// Inputs that are kept in fp8 are cast by a kernel, and cast back by another one (Megatron-Core,
// fusions/fused_bias_swiglu.py).
#include "workload/transformer/autocast.hpp"
#include "workload/transformer/eager.hpp"

namespace pipewright::transformer {
namespace {

/// Keeps what enters an activation in 8 bits: a cast behind its forward, one before its backward.
void keep_in_fp8(const Share& share, Operation& operation) {
  const double made = operation.saved_input, kept = made / share.element;
  operation.forward.push_back(stream(share, Kernel::elementwise, Direction::forward, made, kept));
  operation.input_gradient.insert(
      operation.input_gradient.begin(),
      stream(share, Kernel::elementwise, Direction::input_gradient, kept, made));
  operation.saved_input = kept;
}

}  // namespace

Operation activation(const Share& share, Part part, double rows, int64_t width) {
  const double numbers = rows * static_cast<double>(width);
  const double out = numbers * share.element;
  const double in = share.shape.gated ? 2 * out : out;
  Operation operation{.part = part};
  const auto forward = Direction::forward, backward = Direction::input_gradient;
  const auto pass = [&](Direction direction, double read, double written) {
    const double gate = share.shape.gated ? eager_gate(share, direction, numbers) : 0;
    const double more = gate + eager_gelu(share, direction, numbers);
    Work work = stream(share, Kernel::elementwise, direction, read + more, written);
    work.singles = eager_gelu_singles(share, direction, numbers);
    return work;
  };
  operation.forward = {pass(forward, in, out)};
  operation.input_gradient = {pass(backward, in + out, in)};
  operation.saved_input = in;
  if (share.options.kept.activation_inputs == KeptInputs::fp8) keep_in_fp8(share, operation);
  operation.saved =
      operation.saved_input + numbers * kept_operand(share) + eager_gelu_kept(share, numbers);
  if (part == Part::expert_activation && offloads(share, OffloadedInput::expert_activation))
    operation.leaves = operation.saved_input;
  if (share.shape.gated) operation.saved += eager_gate_kept(share, numbers);
  return operation;
}

Operations mlp(const Share& share, int64_t ffn, Part part) {
  const int64_t hidden = share.shape.hidden;
  const Operation up = linear(share, {.in = hidden,
                                      .out = share.shape.gated ? 2 * ffn : ffn,
                                      .split = Split::column,
                                      .part = part,
                                      .tokens = share.tokens,
                                      .readers = gate_readers(share)});
  const Operation down = linear(share, {.in = ffn,
                                        .out = hidden,
                                        .split = Split::row,
                                        .part = part,
                                        .tokens = share.tokens,
                                        .readers = activates_wide(share) ? 1 : 0});
  const double rows = static_cast<double>(share.tokens);
  return {up, activation(share, part, rows, ffn / share.options.tensor), down};
}

}  // namespace pipewright::transformer
