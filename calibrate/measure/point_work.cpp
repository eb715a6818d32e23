#include "calibrate/measure/point_work.hpp"

#include "workload/workload_options.hpp"

namespace pipewright::calibration {
namespace {

Bytes numbers(DType dtype, double count) {
  return Bytes{static_cast<int64_t>(element_bytes(dtype) * count)};
}

Work product(const Point& p) {
  const double m = double(p.sizes[0]), n = double(p.sizes[1]), k = double(p.sizes[2]);
  const bool sums = p.direction == Direction::weight_gradient;
  return {.kernel = Kernel::gemm,
          .dtype = p.dtype,
          .direction = p.direction,
          .flops = 2 * m * n * k,
          .read = numbers(p.dtype, m * k + k * n + (sums ? m * n : 0)),
          .written = numbers(p.dtype, m * n),
          .shape = {1, p.sizes[0], p.sizes[1], p.sizes[2]}};
}

/// Causal: half of all pairs. The backward pass has five products to the forward pass's two.
Work attention(const Point& p) {
  const double rows = double(p.sizes[0] * p.sizes[1] * p.sizes[2] * p.sizes[3]);
  const bool forward = p.direction == Direction::forward;
  return {.kernel = Kernel::attention,
          .dtype = p.dtype,
          .direction = p.direction,
          .flops = 2 * rows * double(p.sizes[1] + 1) * (forward ? 1 : 2.5),
          .read = numbers(p.dtype, rows * (forward ? 3 : 5)),
          .written = numbers(p.dtype, rows * (forward ? 1 : 3)),
          .shape = {p.sizes[0], p.sizes[2], p.sizes[1], p.sizes[3]}};
}

Work stream(Kernel kernel, double count, double reads, double writes) {
  return {.kernel = kernel,
          .dtype = DType::fp32,
          .read = numbers(DType::fp32, count * reads),
          .written = numbers(DType::fp32, count * writes)};
}

}  // namespace

std::optional<Work> work_of(const Point& p) {
  const bool forward = p.direction == Direction::forward;
  if (p.kernel == "gemm") return product(p);
  if (p.kernel == "attention") return attention(p);
  if (p.kernel == "layernorm") {
    // Backwards the rows are read once for each of the two gradients.
    const double count = double(p.sizes[0] * p.sizes[1]);
    return stream(Kernel::norm, count, forward ? 1 : 4, 1);
  }
  if (p.kernel == "gelu")
    return stream(Kernel::elementwise, double(p.sizes[0]), forward ? 1 : 2, 1);
  if (p.kernel == "add") return stream(Kernel::elementwise, double(p.sizes[0]), 2, 1);
  if (p.kernel == "copy") return stream(Kernel::memcpy, double(p.sizes[0]), 1, 1);
  if (p.kernel == "adam") return stream(Kernel::optimizer, double(p.sizes[0]), 4, 3);
  return std::nullopt;
}

}  // namespace pipewright::calibration
