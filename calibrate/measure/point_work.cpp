#include "calibrate/measure/point_work.hpp"

#include "calibrate/measure/product_shape.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::calibration {
namespace {

Bytes numbers(DType dtype, double count) {
  return Bytes{static_cast<int64_t>(element_bytes(dtype) * count)};
}

Work product(const Point& p) {
  const ProductShape s = product_shape(p);
  const double batch = double(s.batch), m = double(s.m), n = double(s.n), k = double(s.k);
  const bool sums = p.direction == Direction::weight_gradient;
  return {.kernel = Kernel::gemm,
          .dtype = p.dtype,
          .direction = p.direction,
          .flops = 2 * batch * m * n * k,
          .read = numbers(p.dtype, batch * (m * k + k * n + (sums ? m * n : 0))),
          .written = numbers(p.dtype, batch * m * n),
          .shape = {s.batch, s.m, s.n, s.k}};
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

/// What a streaming kernel reads and writes for each number that it makes.
struct Streams {
  std::string_view name;
  Kernel kernel;
  double read, written;                    ///< forward
  double gradient_read, gradient_written;  ///< backward
};

/// A norm reads its rows once for each of its two gradients.
constexpr Streams all_streams[] = {
    {"layernorm", Kernel::norm, 1, 1, 4, 1},      {"rmsnorm", Kernel::norm, 1, 1, 4, 1},
    {"softmax", Kernel::elementwise, 1, 1, 2, 1}, {"rotary", Kernel::elementwise, 1, 1, 1, 1},
    {"gelu", Kernel::elementwise, 1, 1, 2, 1},    {"swiglu", Kernel::elementwise, 2, 1, 3, 2},
    {"dropout", Kernel::elementwise, 2, 1, 1, 1}, {"add", Kernel::elementwise, 2, 1, 2, 1},
    {"copy", Kernel::memcpy, 1, 1, 1, 1},         {"adam", Kernel::optimizer, 4, 3, 4, 3},
};

Work stream(const Point& p, const Streams& s) {
  double count = 1;
  for (const int64_t size : p.sizes) count *= double(size);
  const bool forward = p.direction == Direction::forward;
  return {.kernel = s.kernel,
          .dtype = DType::fp32,
          .direction = p.direction,
          .read = numbers(DType::fp32, count * (forward ? s.read : s.gradient_read)),
          .written = numbers(DType::fp32, count * (forward ? s.written : s.gradient_written))};
}

}  // namespace

std::optional<Work> work_of(const Point& p) {
  if (p.kernel == "gemm" || p.kernel == "gemm_batched") return product(p);
  if (p.kernel == "attention") return attention(p);
  for (const Streams& streams : all_streams)
    if (streams.name == p.kernel) return stream(p, streams);
  return std::nullopt;
}

}  // namespace pipewright::calibration
