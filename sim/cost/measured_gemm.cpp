// A product takes what its tiling takes (tiles.cpp) with constants fitted to the device, times a
// correction that is known at measured shapes and carried to others (point_field.cpp):
//   T0 = launch + (product^4 + (bytes / (f B))^4)^(1/4) + c m k / B,     T = T0 exp(correction)
// The last term is there in fp8 alone: what was measured is an operator that also casts A.
// Corrections go together (kriging.cpp) in log2 of n, k and m; in whether m is a multiple of 8, for
// other kernels serve the rest; in how much of their waves of 128 x 256, 256 x 128, 128 x 128 and
// 256 x 256 tiles the rows and columns leave empty, and in how many tiles there are: near in these,
// a library chooses alike and is off alike. How fast each coordinate fades in each part is the same
// for all devices and types: it was searched for, by the gradient of log(1 + (error / 3 %)^2), on
// 3600 left-out points of A100, H100, H200, B200, GB200 in bf16 and H100, B200 in fp8; those that
// the fits state their errors at were not among them nor among their neighbours.
#include "cost/measured_gemm.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/required.hpp"
#include "base/units.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

/// Returns what the last wave of M x N tiles leaves empty, in octaves.
float waste(double m, double n, double tile_rows, double tile_columns, double processors) {
  const double waves = std::ceil(m / tile_rows) * std::ceil(n / tile_columns) / processors;
  return std::min(2.F, std::log2(static_cast<float>(std::ceil(waves) / waves)));
}

float octaves(double n) { return std::log2(static_cast<float>(n)); }

/// Sizes are n, k, m.
Place place(const std::array<int64_t, 5>& sizes, double processors) {
  const double n = as_double(sizes[0]), k = as_double(sizes[1]), m = as_double(sizes[2]);
  const double tiles = std::ceil(m / 128) * std::ceil(n / 128) / processors;
  return {octaves(n),
          octaves(k),
          octaves(m),
          sizes[2] % 8 == 0 ? 0.F : 1.F,
          0,
          waste(m, n, 128, 256, processors),
          waste(m, n, 256, 128, processors),
          waste(m, n, 128, 128, processors),
          waste(m, n, 256, 256, processors),
          std::clamp(octaves(tiles), -4.F, 4.F)};
}

Likeness gemm_likeness() {
  return {.parts = {{0.548F, {0.058F, 0.34F, 0.078F, 0.029F, 0, 0.26F, 0.46F, 0.009F, 0, 0.77F}},
                    {0.262F, {0.016F, 0.21F, 0.096F, 0.56F, 0, 0, 0.43F, 9.4F, 0.011F, 0.16F}},
                    {0.099F, {24, 1.1F, 1.5F, 0.019F, 0, 3.1F, 0.0078F, 0.048F, 0, 0.17F}},
                    {0.077F, {2.1F, 0.32F, 3.5F, 20, 0, 9.9F, 0.27F, 3.1F, 0.017F, 4.9F}},
                    {0.014F, {0.047F, 0.16F, 0.43F, 20, 0, 0.089F, 0.027F, 0.013F, 0.031F, 0.39F}}},
          .noise = 0.045F,
          .knee = 0.05F,
          .nearness = {1 / 1.5F, 1 / 1.5F, 1 / 1.2F, 1 / 1.5F},
          .neighbours = 28};
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
  const FlopRate peak = required(device.peak_at(dtype), "measured on a device without a peak");
  ensure(device.processors > 0, "measured on a device without processors");
  const double processors = device.processors;
  return {.m = as_double(m),
          .n = as_double(n),
          .k = as_double(k),
          .processors = processors,
          .rate = peak.flops_per_s / processors,
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
          gemm_likeness(),
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
