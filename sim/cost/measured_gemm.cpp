// A product takes what its tiling takes (tiles.cpp) with constants fitted to the device, times a
// correction that is known at measured shapes and carried to others (point_field.cpp):
//   T0 = launch + (product^4 + (bytes / (f B))^4)^(1/4) + c m k / B,     T = T0 exp(correction)
// The last term is there in fp8 alone: what was measured is an operator that also casts A.
// Corrections are alike for products whose n, k and m differ by less than about two octaves. A
// number of rows that is no multiple of 8 is a little further away: libraries take other kernels.
#include "cost/measured_gemm.hpp"

#include <cmath>

#include "base/error.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

constexpr double octaves = 2, misaligned = 0.3;

double as_double(int64_t n) { return static_cast<double>(n); }

/// Sizes are n, k, m.
Place place(const std::array<int64_t, 5>& sizes) {
  return {std::log2(as_double(sizes[0])) / octaves, std::log2(as_double(sizes[1])) / octaves,
          std::log2(as_double(sizes[2])) / octaves, sizes[2] % 8 == 0 ? 0 : misaligned, 0};
}

double memory_seconds(const Product& p, const TileConstants& constants) {
  const double bytes = p.batch * ((p.m * p.k + p.k * p.n) * p.operand + p.m * p.n * p.output);
  return bytes / (constants.memory_fraction * p.bandwidth * p.processors);
}

}  // namespace

double gemm_seconds(const Product& product, const GemmConstants& constants) {
  Product p = product;
  p.rate *= constants.rate;
  const double compute = product_seconds(p, constants.tiles);
  const double memory = memory_seconds(p, constants.tiles);
  const double c = compute * compute, m = memory * memory;
  const double cast = constants.cast_bytes * p.batch * p.m * p.k / (p.bandwidth * p.processors);
  return constants.launch_s + std::sqrt(std::sqrt(c * c + m * m)) + cast;
}

Product measured_product(DType dtype, const Device& device, int64_t m, int64_t n, int64_t k) {
  const std::optional<FlopRate> peak = device.peak_at(dtype);
  ensure(peak && device.processors > 0, "measured on a device without peak or processors");
  const double processors = device.processors;
  return {.m = as_double(m),
          .n = as_double(n),
          .k = as_double(k),
          .processors = processors,
          .rate = peak->flops_per_s / processors,
          .bandwidth = device.memory_bandwidth.bytes_per_s / processors,
          .operand = element_bytes(dtype),
          .output = 2};
}

MeasuredGemm::MeasuredGemm(const GemmConstants& constants, PointTable points)
    : constants_(constants), field_(std::move(points), place) {}

Estimate MeasuredGemm::factor(const Device& device, int64_t m, int64_t n, int64_t k) const {
  const std::array<int64_t, 5> sizes{n, k, m, 1, 1};
  const Carried carried = field_.carry(sizes, [&](const Sample& s) {
    const Product p = measured_product(dtype(), device, s.sizes[2], s.sizes[0], s.sizes[1]);
    return std::log(s.seconds / gemm_seconds(p, constants_));
  });
  return {std::exp(carried.value), carried.unknown, field_.covers(sizes)};
}

}  // namespace pipewright
