// The operations every block is made of: linear layers, norms, residual sums, region edges.
//
// Bytes count each operand once (a kernel that fits its tiles in cache). A linear layer's bias is
// added in the product's epilogue; its gradient is a column sum. Weight gradients accumulate into
// the main gradient (read and written in the gradients' type). Under fp8 and nvfp4 the operands of
// products are cast (narrow.cpp), inputs and gradients. Under sequence parallelism the second
// gather of X for dW is left out: it runs beside the product that makes dX.
#include "base/units.hpp"
#include "workload/transformer/adapters.hpp"
#include "workload/transformer/autocast.hpp"
#include "workload/transformer/eager.hpp"
#include "workload/transformer/layouts.hpp"
#include "workload/transformer/share.hpp"
#include "workload/transformer/tensor_grid.hpp"

namespace pipewright::transformer {
namespace {

/// Rows, columns and the depth of one device's product Y[tokens, out] = X[tokens, in] W.
struct Dimensions {
  int64_t tokens, out, in;
  double x, y, w;  ///< numbers in X, Y and W
};

Dimensions dimensions(const Share& share, const Linear& linear) {
  const int64_t t = share.options.tensor;
  const int64_t out = linear.split == Split::column ? linear.out / t : linear.out;
  const int64_t in = linear.split == Split::row ? linear.in / t : linear.in;
  const double tokens = as_double(linear.tokens);
  return {linear.tokens,
          out,
          in,
          tokens * as_double(in),
          tokens * as_double(out),
          as_double(out) * as_double(in)};
}

void add_products(const Share& share, const Dimensions& d, Operation& operation) {
  const DType dtype = share.product;
  const double gradient = weight_gradient_bytes(share, d.w);
  const double sum = share.options.autocast ? 0 : gradient;
  const double w = share.operand * d.w;
  operation.forward.push_back(
      with_weights(gemm(dtype, Direction::forward, {1, d.tokens, d.out, d.in},
                        share.operand * (d.x + d.w), share.element * d.y),
                   w));
  operation.input_gradient.push_back(
      with_weights(gemm(dtype, Direction::input_gradient, {1, d.tokens, d.in, d.out},
                        share.operand * (d.y + d.w), share.element * d.x),
                   w));
  operation.weight_gradient.push_back(gemm(dtype, Direction::weight_gradient,
                                           {1, d.out, d.in, d.tokens},
                                           share.operand * (d.x + d.y) + sum, gradient));
}

void add_bias(const Share& share, const Linear& linear, const Dimensions& d, Operation& operation) {
  if (!linear.bias.value_or(share.shape.bias)) return;
  operation.parameters += as_double(linear.out);
  operation.device_parameters += as_double(d.out);
  operation.weight_gradient.push_back(stream(share, Kernel::elementwise, Direction::weight_gradient,
                                             share.element * d.y, 4 * as_double(d.out)));
}

CollectiveWork over_tensor(const Share& share, CollectiveKind kind, int64_t width) {
  return {kind, Axis::tensor, whole_bytes(share.bytes(width))};
}

}  // namespace

Work gemm(DType dtype, Direction direction, std::array<int64_t, 4> shape, double read,
          double written) {
  double flops = 2;
  for (const int64_t size : shape) flops *= as_double(size);
  return {.kernel = Kernel::gemm,
          .dtype = dtype,
          .direction = direction,
          .flops = flops,
          .read = whole_bytes(read),
          .written = whole_bytes(written),
          .shape = shape};
}

void add_kernels(std::vector<Work>& kernels, const std::vector<Work>& more) {
  kernels.insert(kernels.end(), more.begin(), more.end());
}

Work stream(const Share& share, Kernel kernel, Direction direction, double read, double written) {
  return {.kernel = kernel,
          .dtype = share.dtype,
          .direction = direction,
          .read = whole_bytes(read),
          .written = whole_bytes(written)};
}

/// The same over a square or cube of devices.
Operation linear_on_grid(const Share& share, const Linear& linear) {
  const int64_t rows = linear.tokens * share.options.tensor_grid.token_parts();
  Operation operation = on_grid(
      share, {.m = rows, .n = linear.out, .k = linear.in, .turned = linear.split == Split::row});
  operation.part = linear.part;
  operation.parameters = as_double(linear.in) * as_double(linear.out);
  operation.model_flops = 2 * share.all_tokens * as_double(linear.in) * as_double(linear.out);
  Linear cut = linear;
  cut.split = Split::column;
  add_bias(share, linear, dimensions(share, cut), operation);
  return operation;
}

Operation linear(const Share& share, const Linear& linear) {
  if (!share.options.tensor_grid.is_line()) return linear_on_grid(share, linear);
  const Dimensions d = dimensions(share, linear);
  Operation operation{.part = linear.part};
  operation.parameters = as_double(linear.in) * as_double(linear.out);
  operation.device_parameters = d.w;
  operation.model_flops = 2 * share.all_tokens * as_double(linear.in) * as_double(linear.out);
  const bool gathers = gathers_operands(share);
  const bool is_cast = linear.split == Split::column
                           ? gathers || norm_casts(share)
                           : linear.split == Split::none && norm_casts(share);
  operation.narrow = narrow_weights(share, d.w);
  operation.forward = widened_weights(share, Direction::forward, d.w);
  operation.input_gradient = widened_weights(share, Direction::input_gradient, d.w);
  if (!is_cast) add_kernels(operation.forward, casts(share, Direction::forward, d.x));
  if (linear.split != Split::row || !gathers)
    add_kernels(operation.input_gradient, casts(share, Direction::input_gradient, d.y));
  if (gathers && linear.split != Split::none)
    operation.weight_gradient = transposes(share, linear.split == Split::column ? d.x : d.y);
  add_products(share, d, operation);
  add_bias(share, linear, d, operation);
  const int64_t readers = linear.readers.value_or(linear.split == Split::row ? 0 : 1);
  add_autocasts(
      share,
      {.input = readers > 0 ? d.x : 0, .weights = d.w, .readers = std::max<int64_t>(readers, 1)},
      operation);
  add_adapter(share, linear, operation);
  return operation;
}

Work norm_pass(const Share& share, Direction direction, double numbers, double read,
               double written) {
  const double more = eager_norm(share, direction, numbers);
  Work work = stream(share, Kernel::norm, direction, read + more, written);
  work.singles = eager_norm_singles(share, direction, numbers);
  return work;
}

Operation norm_of(const Share& given, int64_t width) {
  const Share share = given.promoted();
  const double bytes = share.outer_bytes(width);
  Operation operation{.part = Part::inner_norm};
  const double numbers = bytes / share.element, normed = numbers * normed_element(given);
  operation.forward = {norm_pass(share, Direction::forward, numbers, bytes, normed)};
  operation.input_gradient = {
      norm_pass(share, Direction::input_gradient, numbers, bytes + normed, bytes)};
  operation.saved = numbers * kept_operand(share) +  // its output, the next operand
                    eager_norm_kept(share, numbers);
  const double vectors = share.shape.norm == Norm::layernorm ? 2 : 1;
  if (!share.options.tensor_grid.is_line()) {  // the mean and the variance of every row, in fp32
    const CollectiveWork sums{CollectiveKind::all_reduce, width_axis(share, false),
                              whole_bytes(4 * vectors * as_double(share.tokens))};
    operation.forward_collective = operation.input_gradient_collective = sums;
  }
  operation.parameters = operation.device_parameters = vectors * as_double(width);
  return operation;
}

void sum_squares(const Share& share, Operation& norm, int norms) {
  if (share.options.tensor == 1) return;
  norm.forward_collective = norm.input_gradient_collective = CollectiveWork{
      CollectiveKind::all_reduce, Axis::tensor, whole_bytes(4 * norms * as_double(share.tokens))};
}

Operation joined(const Share& given) {
  const Share share = given.promoted();
  const double bytes = share.outer_bytes(share.shape.hidden);
  Operation operation;
  operation.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, 2 * bytes, bytes)};
  return operation;
}

Operation norm(const Share& share, bool joins) {
  Operation operation = norm_of(share, share.shape.hidden);
  operation.part = Part::norm;
  if (joins) operation.input_gradient.push_back(joined(share).input_gradient.front());
  return operation;
}

Operation norm_of_branch(const Share& share) {
  Operation operation = norm_of(share, share.shape.hidden);
  operation.saved = share.outer_bytes(share.shape.hidden);
  return operation;
}

Operation residual(const Share& share, bool keeps) {
  const double branch = share.outer_bytes(share.shape.hidden);
  const double sum = share.promoted().outer_bytes(share.shape.hidden);
  const double mask = share.shape.dropout ? branch / share.element : 0;  // one byte a number
  const double alone = eager_dropout(share, branch / share.element);
  const bool casts = share.options.autocast;  // the branch's gradient
  Operation operation;
  operation.forward = {
      stream(share, Kernel::elementwise, Direction::forward, branch + sum + alone, sum + mask)};
  if (casts && runs_eagerly(share)) operation.forward.front().singles = branch / share.element;
  if (share.shape.dropout || casts)
    operation.input_gradient = {
        stream(share, Kernel::elementwise, Direction::input_gradient,
               (share.shape.dropout ? branch + mask : 0) + (casts ? sum : 0),
               (share.shape.dropout ? branch : 0) + (casts ? branch : 0))};
  operation.saved = mask + (keeps ? sum : 0);
  return operation;
}

Operation enter_region(const Share& share, Part part, int64_t width) {
  Operation operation{.part = part};
  if (share.options.tensor == 1 || !share.options.tensor_grid.is_line()) return operation;
  if (!share.options.sequence_parallel) {
    operation.input_gradient_collective = over_tensor(share, CollectiveKind::all_reduce, width);
    return operation;
  }
  Gathering in = gather_operand(share, Direction::forward, width, norm_casts(share));
  operation.forward = std::move(in.kernels);
  operation.forward_collective = in.collective;
  operation.forward_steps = std::move(in.steps);
  lay_out_gathered(share, Direction::forward, width, operation);
  operation.input_gradient_collective = over_tensor(share, CollectiveKind::reduce_scatter, width);
  lay_out_scattered(share, Direction::input_gradient, width, operation);
  return operation;
}

Operation leave_region(const Share& share, Part part) {
  Operation operation{.part = part};
  if (share.options.tensor == 1 || !share.options.tensor_grid.is_line()) return operation;
  const int64_t width = share.shape.hidden;
  if (!share.options.sequence_parallel) {
    operation.forward_collective = over_tensor(share, CollectiveKind::all_reduce, width);
    return operation;
  }
  operation.forward_collective = over_tensor(share, CollectiveKind::reduce_scatter, width);
  lay_out_scattered(share, Direction::forward, width, operation);
  operation.reclaimable = eager_scattered_kept(share, share.bytes(width) / share.element);
  Gathering gradient = gather_operand(share, Direction::input_gradient, width, false);
  operation.input_gradient = std::move(gradient.kernels);
  operation.input_gradient_collective = gradient.collective;
  operation.input_gradient_steps = std::move(gradient.steps);
  lay_out_gathered(share, Direction::input_gradient, width, operation);
  return operation;
}

}  // namespace pipewright::transformer
