// Mamba 1: a state-space layer by channels, a selective scan (arXiv 2312.00752).
//
// One product makes x and z; a convolution mixes x of four tokens; a product of it makes B, C and a
// step of low rank, which another leads to all D channels; each channel has a state of N numbers;
// what the scan gives, times a gate of z, goes back through a product. Jamba (arXiv 2403.19887) and
// Falcon Mamba (2410.05355) norm the step, B and C. Under tensor parallelism channels are cut: B, C
// and the step are sums over the ranks, r + 2 N numbers a token forward, and so are their
// gradients.
//
// Scan, convolution and step are those of state-spaces/mamba, ops/selective_scan_interface.py: the
// backward pass makes convolution and step once more. The scan runs in fp32 beside the matrix
// units, 9 D N FLOPs a token forward (github.com/state-spaces/mamba/issues/110), as many again and
// two more for each in the backward pass; it reads x, z, the step, B and C and writes one number a
// channel. The state passes through a whole sequence: context parallelism is refused. Left out:
// the states that the scan keeps every 2,048 tokens; that exponentials are slower than products.
#include "base/required.hpp"
#include "base/units.hpp"
#include "workload/transformer/chunks.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {
namespace {

constexpr double flops_a_state = 9;

/// The product that makes the step, B and C, of channels that are cut.
Operation scan_inputs(const Share& share, const SelectiveScan& s) {
  Operation operation = linear(
      share,
      {.in = s.inner, .out = s.made(), .split = Split::row, .tokens = share.tokens, .bias = false});
  operation.saved = share.bytes(s.made());
  if (share.options.tensor > 1)
    operation.forward_collective = CollectiveWork{CollectiveKind::all_reduce, Axis::tensor,
                                                  whole_bytes(share.bytes(s.made()))};
  return operation;
}

/// Norms of the step, B and C, in one kernel.
Operation scan_norms(const Share& share, const SelectiveScan& s) {
  Operation operation{.part = Part::inner_norm};
  if (s.norm == SelectiveScan::InputNorm::none) return operation;
  const double bytes = share.bytes(s.made());
  operation.forward = {stream(share, Kernel::norm, Direction::forward, bytes, bytes)};
  operation.input_gradient = {
      stream(share, Kernel::norm, Direction::input_gradient, 2 * bytes, bytes)};
  operation.saved = bytes;
  if (s.norm == SelectiveScan::InputNorm::gains)
    operation.parameters = operation.device_parameters = as_double(s.made());
  return operation;
}

/// The step of every channel, with its bias. Its input's gradient, and those of B and C, are sums
/// over the ranks.
Operation steps(const Share& share, const SelectiveScan& s) {
  Operation operation = linear(
      share,
      {.in = s.rank, .out = s.inner, .split = Split::column, .tokens = share.tokens, .bias = true});
  operation.input_gradient.insert(operation.input_gradient.begin(), operation.forward.begin(),
                                  operation.forward.end());
  if (share.options.tensor > 1)
    operation.input_gradient_collective = CollectiveWork{CollectiveKind::all_reduce, Axis::tensor,
                                                         whole_bytes(share.bytes(s.made()))};
  return operation;
}

Operation channels_mixed(const Share& share, const SelectiveScan& s) {
  const int64_t channels = s.inner / share.options.tensor;
  Operation operation = convolution(share, {channels, s.convolution, s.convolution_bias});
  operation.input_gradient.insert(operation.input_gradient.begin(), operation.forward.begin(),
                                  operation.forward.end());
  operation.saved = 0;
  return operation;
}

Operation scanned(const Share& share, const SelectiveScan& s) {
  const int64_t channels = s.inner / share.options.tensor;
  const double one = share.bytes(channels), beside = share.bytes(2 * s.state);
  const double flops =
      flops_a_state * as_double(share.tokens) * as_double(channels) * as_double(s.state);
  const auto kernel = [&](Direction direction, double read, double written, double times) {
    Work work = stream(share, Kernel::elementwise, direction, read, written);
    work.dtype = DType::fp32;
    work.flops = times * flops;
    return work;
  };
  Operation operation{.part = Part::attention};
  operation.forward = {kernel(Direction::forward, 3 * one + beside, one, 1)};
  operation.input_gradient = {
      kernel(Direction::input_gradient, 4 * one + beside, 3 * one + beside, 3)};
  const double of_all = as_double(s.inner) * as_double(s.state + 1);  // A and D
  operation.parameters = of_all;
  operation.device_parameters = of_all / as_double(share.options.tensor);
  operation.model_flops =
      flops_a_state * share.all_tokens * as_double(s.inner) * as_double(s.state);
  return operation;
}

}  // namespace

Operations selective_scan(const Share& share) {
  const SelectiveScan& s =
      required(share.shape.kinds.selective_scan, "dimensions of selective scans");
  return {enter_region(share, Part::other, share.shape.hidden),
          mixer_inputs(share, 2 * s.inner, s.bias),
          channels_mixed(share, s),
          scan_inputs(share, s),
          scan_norms(share, s),
          steps(share, s),
          scanned(share, s),
          output_projection(share, s.inner / share.options.tensor, s.bias)};
}

}  // namespace pipewright::transformer
