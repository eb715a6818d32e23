// A product takes what its tiling takes (tiles.cpp) with constants fitted to the device, times a
// correction that is known at measured shapes and carried to others (point_field.cpp):
//   T0 = launch + (product^4 + (bytes / (f B))^4)^(1/4) + c m k / B,     T = T0 exp(correction)
// The last term is there in fp8 alone: what was measured is an operator that also casts A.
// Corrections go together (kriging.cpp) in log2 of n, k and m; in whether m is a multiple of 8, for
// other kernels serve the rest; in how much of their waves of 128 x 256, 256 x 128, 128 x 128 and
// 256 x 256 tiles the rows and columns leave empty, and in how many tiles there are: near in these,
// a library chooses alike and is off alike. How fast each coordinate fades in each part was
// searched for on points held out of the tables of A100, H100, H200 and B200 in bf16, and is the
// same for all devices and types.
#include "cost/measured_gemm.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

double as_double(int64_t n) { return static_cast<double>(n); }

/// What the last wave of M x N tiles leaves empty, in octaves.
double waste(double m, double n, double tile_rows, double tile_columns, double processors) {
  const double waves = std::ceil(m / tile_rows) * std::ceil(n / tile_columns) / processors;
  return std::min(2.0, std::log2(std::ceil(waves) / waves));
}

/// Sizes are n, k, m.
Place place(const std::array<int64_t, 5>& sizes, double processors) {
  const double n = as_double(sizes[0]), k = as_double(sizes[1]), m = as_double(sizes[2]);
  const double tiles = std::ceil(m / 128) * std::ceil(n / 128) / processors;
  return {std::log2(n),
          std::log2(k),
          std::log2(m),
          sizes[2] % 8 == 0 ? 0.0 : 1.0,
          0,
          waste(m, n, 128, 256, processors),
          waste(m, n, 256, 128, processors),
          waste(m, n, 128, 128, processors),
          waste(m, n, 256, 256, processors),
          std::clamp(std::log2(tiles), -4.0, 4.0)};
}

Likeness likeness() {
  return {.parts = {{0.414, {0.011, 0.085, 0.23, 0.098, 0, 0.011, 0.055, 2.9, 0.036, 0.33}},
                    {0.209, {0.02, 0.33, 0.044, 0.038, 0, 0.35, 0.4, 0.038, 0.011, 0.52}},
                    {0.146, {3.7, 0.44, 4.7, 20, 0, 5.7, 0.011, 0.24, 0.052, 0.22}},
                    {0.122, {13, 0.55, 3.6, 0.28, 0, 0.029, 0.011, 0.34, 0.014, 0.28}},
                    {0.109, {0.016, 0.011, 1.1, 20, 0, 0.068, 0.035, 0.011, 0.1, 0.18}}},
          .noise = 0.039,
          .knee = 0.05,
          .nearness = {1 / 1.5, 1 / 1.5, 1 / 1.2, 1 / 1.5, 0, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 0}};
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

MeasuredGemm::MeasuredGemm(const GemmConstants& constants, const Device& measured_on,
                           const PointTable& points)
    : constants_(constants),
      field_(
          points,
          [processors = measured_on.processors](const std::array<int64_t, 5>& sizes) {
            return place(sizes, processors);
          },
          likeness(),
          [measured_on, constants, dtype = points.dtype](const Sample& s) {
            const Product p =
                measured_product(dtype, measured_on, s.sizes[2], s.sizes[0], s.sizes[1]);
            return std::log(s.seconds / gemm_seconds(p, constants));
          }) {}

Estimate MeasuredGemm::factor(int64_t m, int64_t n, int64_t k) const {
  const std::array<int64_t, 5> sizes{n, k, m, 1, 1};
  const Carried carried = field_.carry(sizes);
  return {std::exp(carried.value), carried.unknown, field_.covers(sizes)};
}

}  // namespace pipewright
