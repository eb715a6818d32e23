// The operations of a convolutional network's steps.
//
// With b samples, a convolution of k x k over C channels into N on P = height x width places is the
// product [b P, C k k] [C k k, N] (implicit: the patches are never written), its input gradient
// [b P', N k k] [N k k, C] over the input's P' places, its weight gradient [N, b P] [b P, C k k].
// FLOPs count 2 b P N C k k each. Bytes: every tensor once, weight gradients read and written.
// A bias is added by a kernel of its own and its gradient summed by another, as TensorFlow's
// BiasAdd and PyTorch do after a convolution of cuDNN. Kept for the backward pass: the output, once
// more before batch normalisation (whose statistics are per micro-batch), ReLU in place; a
// max-pool's indices (8 bytes each), its output. A residual's sum is kept in place of what its body
// gives, which no gradient needs. What other algorithms change of it:
// algorithms.cpp. Left out: patches that touch the border are counted whole.
#include "workload/cnn/operations.hpp"

#include <fmt/format.h>

#include "base/units.hpp"

namespace pipewright::cnn {
namespace {

Work gemm(DType dtype, Direction direction, std::array<int64_t, 4> shape, double flops, double read,
          double written) {
  return {.kernel = Kernel::gemm,
          .dtype = dtype,
          .direction = direction,
          .flops = flops,
          .read = whole_bytes(read),
          .written = whole_bytes(written),
          .shape = shape};
}

/// The three products of a step with `weights` numbers: `depth` inputs for an output, and
/// `gradient_depth` output gradients for an input's.
struct Products {
  double weights = 0;
  int64_t depth = 0, gradient_depth = 0;
};

/// Adds what autocast moves to cast weights before a product and their gradient behind it, which is
/// little beside images: it stands in the products' own bytes.
void add_casts(const Share& share, double weights, Operation& operation) {
  constexpr double wide = 4;
  const Bytes there = whole_bytes(wide * weights), cast = whole_bytes(share.element() * weights);
  operation.forward.front().read += there;
  operation.forward.front().written += cast;
  operation.weight_gradient.front().read += cast;
  operation.weight_gradient.front().written += cast;
  operation.copies += share.element() * weights;
}

Operation product(const Share& share, const Around& images, const Products& by) {
  const auto& [in, out, first] = images;
  const Image here = share.local(out), input = share.local(in);
  const double flops = 2 * as_double(share.samples) * here.size() * as_double(by.depth);
  const double x = share.bytes(in), y = share.bytes(out), w = share.element() * by.weights;
  const double gradient = share.gradient_element() * by.weights;
  const int64_t rows = share.samples * here.height * here.width;
  Operation operation;
  operation.forward = {with_weights(
      gemm(share.dtype, Direction::forward, {1, rows, out.channels, by.depth}, flops, x + w, y),
      w)};
  if (!first) {
    operation.input_gradient = {with_weights(
        gemm(share.dtype, Direction::input_gradient,
             {1, share.samples * input.height * input.width, in.channels, by.gradient_depth}, flops,
             y + w, x),
        w)};
  }
  operation.weight_gradient = {gemm(share.dtype, Direction::weight_gradient,
                                    {1, out.channels, by.depth, rows}, flops, x + y + gradient,
                                    gradient)};
  operation.parameters = operation.device_parameters = by.weights;
  operation.model_flops = 2 * as_double(share.micro_batch) * out.size() * as_double(by.depth);
  operation.saved = y;
  if (share.casts) add_casts(share, by.weights, operation);
  return operation;
}

/// Lays a convolution's channels in eights where they are of 16 bits: cuDNN pads them since 7.6.3,
/// so that rows are aligned (NVIDIA's convolutional layers user's guide). No FLOP is counted for
/// it.
void pad_channels(const Share& share, Operation& operation) {
  if (element_bytes(share.dtype) != 2) return;
  const auto pad = [](std::vector<Work>& works, size_t first) {
    for (Work& work : works)
      for (const size_t k : {first, first + 1}) work.shape[k] = (work.shape[k] + 7) / 8 * 8;
  };
  pad(operation.forward, 2);
  pad(operation.input_gradient, 2);
  pad(operation.weight_gradient, 1);
}

void add_bias(const Share& share, const Image& out, Operation& operation) {
  const double y = share.bytes(out);
  operation.forward.push_back(share.stream(Kernel::elementwise, Direction::forward, y, y));
  operation.weight_gradient.push_back(
      share.stream(Kernel::elementwise, Direction::weight_gradient, y, 0));
  operation.parameters += as_double(out.channels);
  operation.device_parameters = operation.parameters;
}

void add_norm(const Share& share, const Image& out, Operation& operation) {
  const double y = share.bytes(out);
  // Mean and deviation in one pass, the values in another.
  operation.forward.push_back(share.stream(Kernel::norm, Direction::forward, 2 * y, y));
  operation.input_gradient.insert(operation.input_gradient.begin(),
                                  share.stream(Kernel::norm, Direction::input_gradient, 4 * y, y));
  operation.parameters += 2 * as_double(out.channels);
  operation.device_parameters = operation.parameters;
  operation.saved += y;
}

void add_activation(const Share& share, const Image& out, Operation& operation) {
  const double y = share.bytes(out);
  operation.forward.push_back(share.stream(Kernel::elementwise, Direction::forward, y, y));
  operation.input_gradient.insert(
      operation.input_gradient.begin(),
      share.stream(Kernel::elementwise, Direction::input_gradient, 2 * y, y));
}

}  // namespace

Image windows(const CnnStep& step, const Image& in, int64_t channels) {
  const int64_t height = in.height + 2 * step.pad_height - step.height;
  const int64_t width = in.width + 2 * step.pad_width - step.width;
  if (height < 0 || width < 0) {
    step.source.fail(fmt::format("a window of {}x{} does not fit into {}x{}", step.height,
                                 step.width, in.height, in.width));
  }
  return {channels, height / step.stride + 1, width / step.stride + 1};
}

Operation convolution(const Share& share, const CnnShape& shape, const CnnStep& step,
                      const Around& images) {
  const auto& [in, out, first] = images;
  const int64_t window = step.height * step.width, depth = in.channels * window;
  Operation operation = product(share, images,
                                {.weights = as_double(depth) * as_double(step.channels),
                                 .depth = depth,
                                 .gradient_depth = step.channels * window});
  pad_channels(share, operation);
  choose_algorithm(share, shape, step, images, operation);
  if (shape.norm)
    add_norm(share, out, operation);
  else
    add_bias(share, out, operation);
  add_activation(share, out, operation);
  return operation;
}

Operation up_convolution(const Share& share, const CnnStep& step, const Around& images) {
  const int64_t window = step.height * step.width, in = images.in.channels;
  Operation operation =
      product(share, images,
              {.weights = as_double(in) * as_double(step.channels) * as_double(window),
               .depth = in,
               .gradient_depth = step.channels * window});
  pad_channels(share, operation);
  operation.parameters += as_double(step.channels);
  operation.device_parameters = operation.parameters;
  return operation;
}

Operation pool(const Share& share, const CnnStep& step, const Around& images) {
  const double x = share.bytes(images.in), y = share.bytes(images.out);
  const bool maximum = step.kind == CnnStep::Kind::max_pool;
  const double indices =
      maximum ? 8 * as_double(share.samples) * share.local(images.out).size() : 0;
  Operation operation;
  operation.forward = {share.stream(Kernel::elementwise, Direction::forward, x, y + indices)};
  operation.input_gradient = {
      share.stream(Kernel::elementwise, Direction::input_gradient, y + indices, x)};
  operation.saved = y + indices;
  return operation;
}

Operation global_pool(const Share& share, const Around& images) {
  const double x = share.bytes(images.in), y = share.bytes(images.out);
  Operation operation;
  operation.forward = {share.stream(Kernel::elementwise, Direction::forward, x, y)};
  operation.input_gradient = {share.stream(Kernel::elementwise, Direction::input_gradient, y, x)};
  operation.saved = y;
  return operation;
}

Operation dense(const Share& share, const Around& images, bool has_activation) {
  const int64_t in = images.in.channels, out = images.out.channels;
  Operation operation =
      product(share, images,
              {.weights = as_double(in) * as_double(out), .depth = in, .gradient_depth = out});
  operation.parameters += as_double(out);
  operation.device_parameters = operation.parameters;
  if (has_activation) add_activation(share, images.out, operation);
  return operation;
}

/// Fused: with P places and a heads of width d, 4 b a P^2 d FLOPs forward and 10 backward, which
/// makes the scores again (arXiv 2205.14135). Kept: the output, and a number for every row of
/// scores.
Operation attention(const Share& share, const CnnStep& step, const Image& in) {
  if (share.strips > 1)
    step.source.misfit("attention joins all places of an image: parallel.spatial must be 1");
  const int64_t heads = step.channels, places = in.height * in.width;
  if (in.channels % (3 * heads) != 0) {
    step.source.fail(
        fmt::format("{} channels are not queries, keys and values of {} heads: {} would do",
                    in.channels, heads, (in.channels / (3 * heads) + 1) * 3 * heads));
  }
  const Image out{in.channels / 3, in.height, in.width};
  const double x = share.bytes(in), y = share.bytes(out);
  const double statistic = 4 * as_double(share.samples) * as_double(heads) * as_double(places);
  const double product = 2 * as_double(share.samples) * as_double(places) * out.size();
  Operation operation;
  operation.forward = {share.stream(Kernel::attention, Direction::forward, x, y + statistic)};
  operation.forward[0].flops = 2 * product;
  operation.forward[0].shape = {share.samples, heads, places, out.channels / heads};
  operation.input_gradient = {
      share.stream(Kernel::attention, Direction::input_gradient, x + 2 * y + statistic, x)};
  operation.input_gradient[0].flops = 5 * product;
  operation.input_gradient[0].shape = operation.forward[0].shape;
  operation.model_flops = 2 * product;
  operation.saved = y + statistic;
  return operation;
}

Operation joined(const Share& share, const Image& sum, double parts) {
  const double bytes = share.bytes(sum);
  Operation operation;
  operation.forward = {share.stream(Kernel::elementwise, Direction::forward, parts * bytes, bytes)};
  operation.input_gradient = {
      share.stream(Kernel::elementwise, Direction::input_gradient, 2 * bytes, bytes)};
  operation.saved = bytes;
  return operation;
}

Operation loss(const Share& share, const Image& in) {
  const double narrow = share.bytes(in),
               wide = 4 * as_double(share.samples) * share.local(in).size();
  Operation operation;
  operation.forward = {share.stream(Kernel::cross_entropy, Direction::forward, narrow, wide)};
  operation.input_gradient = {
      share.stream(Kernel::cross_entropy, Direction::input_gradient, wide, narrow)};
  operation.saved = wide;
  return operation;
}

}  // namespace pipewright::cnn
