#include "calibrate/measure/point_work.hpp"

#include "calibrate/measure/fused_shapes.hpp"
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
  const kernels::FusedAttention s = attention_shape(p);
  const double width = double(s.sequences * s.tokens * s.head_dim);
  const double queries = width * double(s.heads), keys = width * double(s.kv_heads);
  const bool forward = p.direction == Direction::forward;
  return {.kernel = Kernel::attention,
          .dtype = p.dtype,
          .direction = p.direction,
          .flops = 2 * queries * double(s.tokens + 1) * (forward ? 1 : 2.5),
          .read = numbers(p.dtype, forward ? queries + 2 * keys : 3 * queries + 2 * keys),
          .written = numbers(p.dtype, forward ? queries : queries + 2 * keys),
          .shape = {s.sequences, s.heads, s.tokens, s.head_dim}};
}

/// Returns the work as the product that a convolution is, over windows: m places, n filters, k
/// numbers of a window.
Work convolution(const Point& p) {
  const kernels::Convolution s = convolution_shape(p);
  const int64_t m = s.samples * s.out_height() * s.out_width();
  const int64_t k = s.window_height * s.window_width * s.channels;
  const double x = double(s.samples * s.height * s.width * s.channels);
  const double y = double(m * s.filters), w = double(s.filters * k);
  const double result = p.direction == Direction::forward          ? y
                        : p.direction == Direction::input_gradient ? x
                                                                   : w;
  return {.kernel = Kernel::gemm,
          .dtype = p.dtype,
          .direction = p.direction,
          .flops = 2 * y * double(k),
          .read = numbers(p.dtype, x + y + w - result),
          .written = numbers(p.dtype, result),
          .shape = {1, m, s.filters, k}};
}

/// The numbers that a streaming kernel reads and writes for each number that it makes.
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
  if (is_attention(p)) return attention(p);
  if (p.kernel == "convolution") return convolution(p);
  for (const Streams& streams : all_streams)
    if (streams.name == p.kernel) return stream(p, streams);
  return std::nullopt;
}

}  // namespace pipewright::calibration
