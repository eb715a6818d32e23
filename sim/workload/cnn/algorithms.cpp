// The algorithms of convolutions that are not the implicit product of its patches.
//
// 3 x 3 and 5 x 5 kernels with stride 1 in fp32 run by Winograd's F(m x m, r x r) (Lavin and Gray,
// arXiv 1509.09308), m = 4 or 5, each transform a kernel of its own (WINOGRAD_NONFUSED of cuDNN
// since 5.1). With t = m + r - 1 and T = b ceil(height / m) ceil(width / m) tiles, a tile takes
// t^2 multiplications a pair of channels in place of m^2 r^2:
//   forward t^2 x [T, C] [C, N], input gradient t^2 x [T', N] [N, C], weight gradient
//   t^2 x [N, T] [T, C],
// 4 and 7.7 times fewer FLOPs less ragged tiles, on tensors t^2 / m^2 as large: so much wider x is
// written and read, and the result before it is transformed back; for a weight gradient x and y.
// A kernel makes t^2 numbers of each r^2 weights forward and again backward, as cuDNN keeps nothing
// from call to call, and one makes r^2 of each t^2 of their gradient.
// From 64 channels on either side, where the saved FLOPs outweigh that, and weight gradients from
// 128: those of cuDNN run at 0.5 to 1.0 of V100's peak and 0.4 to 0.75 of P100's where one side has
// 64 channels, as a direct product does, and at 1.5 to 2.5 and 1.2 to 2.1 of it, which none can,
// where both have 128 or more (DeepBench da81ba78, results/train, 3 x 3 kernels of stride 1; the
// latter in batches of 16 on 14 x 14 places or more). On an RTX 2070 Super products of 128 channels
// were measured at 0.8 of the peak and both transforms, one kernel here, at 0.78 of the bandwidth
// (kernyan.com, 17 July 2025).
// Matrix units, all but fp32's, take channels last. Images that lie channels first are transposed
// by kernels of their own, every operand and result (NVIDIA, Convolutional Layers User's Guide,
// "Tensor Layouts In Memory"). Unless the model says, they lie so under tf32 (PyTorch's default;
// NVIDIA's DeepLearningExamples name `nhwc` in configs.yml for AMP alone).
// Left out: fused F(2x2, 3x3), FFT, tf32 kernels that read channels first.
#include <algorithm>

#include "workload/cnn/operations.hpp"

namespace pipewright::cnn {
namespace {

constexpr int64_t least_channels = 64, least_gradient_channels = 128;

bool has_winograd(const CnnStep& step, int64_t in, DType dtype) {
  return dtype == DType::fp32 && (step.height == 3 || step.height == 5) &&
         step.width == step.height && step.stride == 1 &&
         std::min(in, step.channels) >= least_channels;
}

int64_t in_tiles(int64_t size, int64_t side) { return (size + side - 1) / side; }

/// `product` over all tiles.
Work tiled(Work product, std::array<int64_t, 4> shape, double read, double written) {
  product.shape = shape;
  product.flops = 2;
  for (const int64_t size : shape) product.flops *= static_cast<double>(size);
  product.read = whole_bytes(read);
  product.written = whole_bytes(written);
  return product;
}

int64_t tiles(const Share& share, const Image& image, int64_t side) {
  const Image here = share.local(image);
  return share.samples * in_tiles(here.height, side) * in_tiles(here.width, side);
}

void use_winograd(const Share& share, const CnnStep& step, const Around& images,
                  Operation& operation) {
  using enum Direction;
  const int64_t m = step.height == 3 ? 4 : 5, side = m + step.height - 1, products = side * side;
  const double wider = static_cast<double>(products) / static_cast<double>(m * m);
  const Image &in = images.in, &out = images.out;
  const double x = share.bytes(in), y = share.bytes(out), wide_x = wider * x, wide_y = wider * y;
  const double pairs = static_cast<double>(in.channels) * static_cast<double>(out.channels);
  const double numbers = static_cast<double>(products) * pairs;
  const double weights = static_cast<double>(step.height * step.width) * pairs;
  const double w = share.element() * numbers, gradient = share.gradient_element() * numbers;
  const auto transformed = [&](Direction direction) {
    return share.stream(Kernel::elementwise, direction, share.element() * weights, w);
  };
  operation.forward = {
      transformed(forward),
      with_weights(
          tiled(operation.forward.front(),
                {products, tiles(share, out, m), out.channels, in.channels}, wide_x + w, wide_y),
          w),
      share.stream(Kernel::elementwise, forward, x + wide_y, wide_x + y)};
  if (!operation.input_gradient.empty()) {
    operation.input_gradient = {
        transformed(input_gradient),
        share.stream(Kernel::elementwise, input_gradient, y + wide_x, wide_y + x),
        with_weights(
            tiled(operation.input_gradient.front(),
                  {products, tiles(share, in, m), in.channels, out.channels}, wide_y + w, wide_x),
            w)};
  }
  if (std::min(in.channels, out.channels) < least_gradient_channels) return;
  operation.weight_gradient = {
      tiled(operation.weight_gradient.front(),
            {products, out.channels, in.channels, tiles(share, out, m)}, wide_x + wide_y + gradient,
            gradient),
      share.stream(Kernel::elementwise, weight_gradient, x + y, wide_x + wide_y),
      share.stream(Kernel::elementwise, weight_gradient, gradient,
                   share.gradient_element() * weights)};
}

void transpose(const Share& share, const Around& images, Operation& operation) {
  const double both = share.bytes(images.in) + share.bytes(images.out);
  const auto moved = [&](Direction direction) {
    return share.stream(Kernel::elementwise, direction, both, both);
  };
  operation.forward.push_back(moved(Direction::forward));
  operation.weight_gradient.push_back(moved(Direction::weight_gradient));
  if (!operation.input_gradient.empty())
    operation.input_gradient.insert(operation.input_gradient.begin(),
                                    moved(Direction::input_gradient));
}

bool is_transposed(const CnnShape& shape, DType dtype) {
  return dtype != DType::fp32 && !shape.channels_last.value_or(dtype != DType::tf32);
}

}  // namespace

void choose_algorithm(const Share& share, const CnnShape& shape, const CnnStep& step,
                      const Around& images, Operation& operation) {
  if (has_winograd(step, images.in.channels, share.dtype))
    use_winograd(share, step, images, operation);
  if (is_transposed(shape, share.dtype)) transpose(share, images, operation);
}

}  // namespace pipewright::cnn
