// The operations of a convolutional network's steps.
//
// With b samples, a convolution of k x k over C channels into N on P = height x width places is the
// product [b P, C k k] [C k k, N] (implicit: the patches are never written), its input gradient
// [b P', N k k] [N k k, C] over the input's P' places, its weight gradient [N, b P] [b P, C k k].
// FLOPs count 2 b P N C k k each. Bytes: every tensor once, weight gradients read and written.
// A bias is added by a kernel of its own and its gradient summed by another, as TensorFlow's
// BiasAdd and PyTorch do after a convolution of cuDNN. Kept for the backward pass: the output, once
// more before batch normalisation (whose statistics are per micro-batch), ReLU in place; a
// max-pool's indices (8 bytes each), its output. What other algorithms change of it:
// algorithms.cpp. Left out: patches that touch the border are counted whole.
#include <fmt/format.h>

#include "base/units.hpp"
#include "workload/cnn/builder.hpp"

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

}  // namespace

Work Builder::stream(Kernel kernel, Direction direction, double read, double written) const {
  return {.kernel = kernel,
          .dtype = dtype_,
          .direction = direction,
          .read = whole_bytes(read),
          .written = whole_bytes(written)};
}

/// Returns the image that the windows of `step` make. Fails where no window fits.
Image Builder::windows(const CnnStep& step, int64_t channels) const {
  const int64_t height = at_.height + 2 * step.pad_height - step.height;
  const int64_t width = at_.width + 2 * step.pad_width - step.width;
  if (height < 0 || width < 0) {
    step.source.fail(fmt::format("a window of {}x{} does not fit into {}x{}", step.height,
                                 step.width, at_.height, at_.width));
  }
  return {channels, height / step.stride + 1, width / step.stride + 1};
}

/// The three products that make `out` from what is there with `weights` numbers: `depth` inputs for
/// an output, and `gradient_depth` output gradients for an input's.
Operation Builder::product(const Image& out, double weights, int64_t depth,
                           int64_t gradient_depth) {
  const Image here = local(out), input = local(at_);
  const double flops = 2 * as_double(samples_) * here.size() * as_double(depth);
  const double x = bytes(at_), y = bytes(out), w = element_ * weights;
  const double gradient = element_bytes(options_.gradients) * weights;
  const int64_t rows = samples_ * here.height * here.width;
  Operation operation;
  operation.forward = {with_weights(
      gemm(dtype_, Direction::forward, {1, rows, out.channels, depth}, flops, x + w, y), w)};
  if (!first_) {
    operation.input_gradient = {
        with_weights(gemm(dtype_, Direction::input_gradient,
                          {1, samples_ * input.height * input.width, at_.channels, gradient_depth},
                          flops, y + w, x),
                     w)};
  }
  operation.weight_gradient = {gemm(dtype_, Direction::weight_gradient,
                                    {1, out.channels, depth, rows}, flops, x + y + gradient,
                                    gradient)};
  operation.parameters = operation.device_parameters = weights;
  operation.model_flops = 2 * as_double(options_.micro_batch) * out.size() * as_double(depth);
  operation.saved = y;
  first_ = false;
  return operation;
}

void Builder::add_bias(Operation& operation, const Image& out) const {
  const double y = bytes(out);
  operation.forward.push_back(stream(Kernel::elementwise, Direction::forward, y, y));
  operation.weight_gradient.push_back(
      stream(Kernel::elementwise, Direction::weight_gradient, y, 0));
  operation.parameters += as_double(out.channels);
  operation.device_parameters = operation.parameters;
}

void Builder::add_norm(Operation& operation, const Image& out) const {
  const double y = bytes(out);
  // Mean and deviation in one pass, the values in another.
  operation.forward.push_back(stream(Kernel::norm, Direction::forward, 2 * y, y));
  operation.input_gradient.insert(operation.input_gradient.begin(),
                                  stream(Kernel::norm, Direction::input_gradient, 4 * y, y));
  operation.parameters += 2 * as_double(out.channels);
  operation.device_parameters = operation.parameters;
  operation.saved += y;
}

void Builder::add_activation(Operation& operation, const Image& out) const {
  const double y = bytes(out);
  operation.forward.push_back(stream(Kernel::elementwise, Direction::forward, y, y));
  operation.input_gradient.insert(operation.input_gradient.begin(),
                                  stream(Kernel::elementwise, Direction::input_gradient, 2 * y, y));
}

Operation Builder::convolution(const CnnStep& step) {
  const int64_t window = step.height * step.width, depth = at_.channels * window;
  const Image out = windows(step, step.channels);
  Operation operation =
      product(out, as_double(depth) * as_double(step.channels), depth, step.channels * window);
  choose_algorithm(step, at_, out, operation);
  if (shape_.norm)
    add_norm(operation, out);
  else
    add_bias(operation, out);
  add_activation(operation, out);
  at_ = out;
  return operation;
}

/// Every input place makes a window of outputs of its own.
Operation Builder::up_convolution(const CnnStep& step) {
  const int64_t window = step.height * step.width;
  const Image out{step.channels, at_.height * step.height, at_.width * step.width};
  const double weights = as_double(at_.channels) * as_double(step.channels) * as_double(window);
  Operation operation = product(out, weights, at_.channels, step.channels * window);
  operation.parameters += as_double(step.channels);
  operation.device_parameters = operation.parameters;
  at_ = out;
  return operation;
}

Operation Builder::pool(const CnnStep& step) {
  const Image out = windows(step, at_.channels);
  const double x = bytes(at_), y = bytes(out);
  const bool maximum = step.kind == CnnStep::Kind::max_pool;
  const double indices = maximum ? 8 * as_double(samples_) * local(out).size() : 0;
  Operation operation;
  operation.forward = {stream(Kernel::elementwise, Direction::forward, x, y + indices)};
  operation.input_gradient = {
      stream(Kernel::elementwise, Direction::input_gradient, y + indices, x)};
  operation.saved = y + indices;
  at_ = out;
  return operation;
}

Operation Builder::global_pool() {
  const Image out{at_.channels, 1, 1};
  Operation operation;
  operation.forward = {stream(Kernel::elementwise, Direction::forward, bytes(at_), bytes(out))};
  operation.input_gradient = {
      stream(Kernel::elementwise, Direction::input_gradient, bytes(out), bytes(at_))};
  operation.saved = bytes(out);
  at_ = out;
  return operation;
}

Operation Builder::dense(const CnnStep& step) {
  const int64_t in = at_.channels * at_.height * at_.width;
  at_ = {in, 1, 1};
  const Image out{step.channels, 1, 1};
  Operation operation = product(out, as_double(in) * as_double(step.channels), in, step.channels);
  operation.parameters += as_double(step.channels);
  operation.device_parameters = operation.parameters;
  if (&step != last_) add_activation(operation, out);
  at_ = out;
  return operation;
}

/// Fused: with P places and a heads of width d, 4 b a P^2 d FLOPs forward and 10 backward, which
/// makes the scores again (arXiv 2205.14135). Kept: the output, and a number for every row of
/// scores.
Operation Builder::attention(const CnnStep& step) {
  if (strips_ > 1)
    step.source.misfit("attention joins all places of an image: parallel.spatial must be 1");
  const int64_t heads = step.channels, places = at_.height * at_.width;
  if (at_.channels % (3 * heads) != 0) {
    step.source.fail(
        fmt::format("{} channels are not queries, keys and values of {} heads: {} would do",
                    at_.channels, heads, (at_.channels / (3 * heads) + 1) * 3 * heads));
  }
  const Image out{at_.channels / 3, at_.height, at_.width};
  const double x = bytes(at_), y = bytes(out);
  const double statistic = 4 * as_double(samples_) * as_double(heads) * as_double(places);
  const double product = 2 * as_double(samples_) * as_double(places) * out.size();
  Operation operation;
  operation.forward = {stream(Kernel::attention, Direction::forward, x, y + statistic)};
  operation.forward[0].flops = 2 * product;
  operation.forward[0].shape = {samples_, heads, places, out.channels / heads};
  operation.input_gradient = {
      stream(Kernel::attention, Direction::input_gradient, x + 2 * y + statistic, x)};
  operation.input_gradient[0].flops = 5 * product;
  operation.input_gradient[0].shape = operation.forward[0].shape;
  operation.model_flops = 2 * product;
  operation.saved = y + statistic;
  at_ = out;
  return operation;
}

Operation Builder::loss() const {
  const double narrow = bytes(at_), wide = 4 * as_double(samples_) * local(at_).size();
  Operation operation;
  operation.forward = {stream(Kernel::cross_entropy, Direction::forward, narrow, wide)};
  operation.input_gradient = {
      stream(Kernel::cross_entropy, Direction::input_gradient, wide, narrow)};
  operation.saved = wide;
  return operation;
}

}  // namespace pipewright::cnn
