// A matrix product as its library runs it: the fastest of a few tilings.
//
// C[m,n] is cut in tiles of M x N, one to a processor at a time; a tile's depth k may be cut in s
// parts whose sums are added afterwards. With P processors, rate r = sustained peak / P, memory
// bandwidth B, e bytes an operand and o bytes an output:
//   waves = ceil(batch ceil(m/M) ceil(n/N) s / P)
//   time  = waves (2 M N k' / r max(1, I0 / I) + 0.75 M N o / (B / P))
//           + [s > 1] (2.7 us + 4 s m n / (0.73 B)),      k' = k / s in steps of 64
// I = 2 M N / ((M + N) e) is the tile's arithmetic intensity: below I0 = 44 FLOPs a byte its
// processor waits for operands. The second term writes the tile out, and, for a weight gradient,
// reads what it adds to. The losses of the last wave and of ragged edges are what is visible in
// measured times as steps; no efficiency is tabulated.
// Input gradients run as forward products of their shape; weight gradients, which add to sums in
// fp32, at 0.93 of the rate (SimuMax's measurements on B200).
#include <algorithm>
#include <cmath>

#include "cost/roofline.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

struct Tile {
  double rows, columns;
};

constexpr Tile tiles[] = {{256, 128}, {128, 256}, {128, 128}, {256, 64},
                          {64, 256},  {128, 64},  {64, 128},  {64, 64}};
constexpr double splits[] = {1, 2, 4, 8, 16};
constexpr double depth_step = 64;

/// One product on one device.
struct Product {
  double batch, m, n, k;
  double processors;
  double rate;             ///< of one processor
  double bandwidth;        ///< of one processor
  double operand, output;  ///< bytes of one number
};

Product product_of(const Work& work, const Device& device, const RooflineConstants& constants) {
  const auto [batch, m, n, k] = work.shape;
  Product p{.batch = static_cast<double>(batch),
            .m = static_cast<double>(m),
            .n = static_cast<double>(n),
            .k = static_cast<double>(k),
            .processors = static_cast<double>(device.processors)};
  p.rate = peak_for(device, work.dtype).flops_per_s *
           sustained_fraction(device, work.dtype, constants) / p.processors;
  p.bandwidth = device.memory_bandwidth.bytes_per_s / p.processors;
  p.operand = element_bytes(work.dtype);
  p.output = static_cast<double>(work.written.count) / std::max(p.batch * p.m * p.n, 1.0);
  if (work.direction == Direction::weight_gradient) {
    p.rate *= constants.accumulation;
    p.output *= 2;
  }
  return p;
}

double tiled_seconds(const Product& p, Tile tile, double split,
                     const RooflineConstants& constants) {
  const double area = tile.rows * tile.columns;
  const double waves = std::ceil(p.batch * std::ceil(p.m / tile.rows) *
                                 std::ceil(p.n / tile.columns) * split / p.processors);
  const double depth = std::ceil(p.k / split / depth_step) * depth_step;
  const double intensity = 2 * area / ((tile.rows + tile.columns) * p.operand);
  const double starved = std::max(1.0, constants.tile_intensity / intensity);
  const double output = split > 1 ? 4 : p.output;
  double time = waves * (2 * area * depth / p.rate * starved +
                         constants.epilogue * area * output / p.bandwidth);
  if (split > 1) {
    const double sums = 4 * split * p.batch * p.m * p.n;
    time += in_seconds(constants.split) +
            sums / (constants.product_bandwidth * p.bandwidth * p.processors);
  }
  return time;
}

}  // namespace

double gemm_seconds(const Work& work, const Device& device, const RooflineConstants& constants) {
  if (device.processors == 0)
    return work.flops / (peak_for(device, work.dtype).flops_per_s *
                         sustained_fraction(device, work.dtype, constants));
  const Product product = product_of(work, device, constants);
  double best = tiled_seconds(product, tiles[0], 1, constants);
  for (const Tile tile : tiles)
    for (const double split : splits)
      best = std::min(best, tiled_seconds(product, tile, split, constants));
  return best;
}

}  // namespace pipewright
