// A short convolution between two gates (LFM2, arXiv 2511.23404; transformers,
// lfm2/modular_lfm2.py).
//
// One product makes B, C and x, each as wide as the stream. A depthwise causal convolution of a few
// taps mixes B times x; its result times C goes back through a product. The convolution has no
// activation. It is a kernel by itself (causal_conv1d), and so are the products of numbers around
// it: B times x reads two tensors and writes one, and its gradient reads three and writes two.
// Under tensor parallelism channels are cut. The backward pass reads what the first product gave,
// B times x, the convolution's result and what goes into the last product. A device needs the
// tokens before its own: context parallelism is refused.
#include "base/units.hpp"
#include "workload/transformer/chunks.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {
namespace {

/// One tensor times another, number by number, both `bytes` on this device.
Operation gated(const Share& share, double bytes) {
  Operation operation{.part = Part::attention};
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, 2 * bytes, bytes)};
  operation.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, 3 * bytes, 2 * bytes)};
  return operation;
}

}  // namespace

Operations short_convolution(const Share& share) {
  const ShortConvolution& s = share.shape.kinds.short_convolution;
  const int64_t width = share.shape.hidden, channels = width / share.options.tensor;
  const double bytes = share.bytes(channels);
  Operation result = gated(share, bytes);
  result.saved = bytes;  // the convolution's result; B times x is kept with the convolution
  return {enter_region(share, Part::other, width),
          mixer_inputs(share, 3 * width, s.bias),
          gated(share, bytes),
          convolution(share, {channels, s.taps, s.bias}),
          result,
          output_projection(share, channels, s.bias)};
}

}  // namespace pipewright::transformer
