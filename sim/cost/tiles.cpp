// A matrix product as its library runs it: the fastest of a few tilings.
//
// C[m,n] is cut in tiles of M x N, one to a processor at a time; a tile's depth k may be cut in s
// parts whose sums are added afterwards. With P processors, rate r and memory bandwidth b of each,
// e bytes an operand and o bytes an output:
//   w     = batch ceil(m/M) ceil(n/N) s / P;   waves = max(1, w + q (ceil(w) - w))
//   time  = waves (t0 + 2 M N k' / r max(1, I0 / I) + c M N o / b)
//           + [s > 1] (t1 + 4 s m n / (f b P)),      k' = k / s in steps of 64
// I = 2 M N / ((M + N) e) is the tile's arithmetic intensity: below I0 FLOPs a byte its processor
// waits for operands. The third term writes the tile out, and, for a weight gradient, reads what it
// adds to. q is 1 where tiles are dealt out wave by wave and near 0 where a persistent kernel evens
// out the last wave. The steps of whole waves and ragged edges are visible in measured times; no
// efficiency is tabulated.
// Wrong for: libraries that choose badly among their kernels, of which measured times are full.
#include "cost/tiles.hpp"

#include <algorithm>
#include <cmath>

namespace pipewright {
namespace {

struct Tile {
  double rows, columns;
};

constexpr Tile tiles[] = {{256, 128}, {128, 256}, {128, 128}, {256, 64},
                          {64, 256},  {128, 64},  {64, 128},  {64, 64}};
constexpr double splits[] = {1, 2, 4, 8, 16};
constexpr double depth_step = 64;

double tiled_seconds(const Product& p, Tile tile, double split, const TileConstants& constants) {
  const double area = tile.rows * tile.columns;
  const double even =
      p.batch * std::ceil(p.m / tile.rows) * std::ceil(p.n / tile.columns) * split / p.processors;
  const double waves = std::max(1.0, even + constants.quantisation * (std::ceil(even) - even));
  const double depth = std::ceil(p.k / split / depth_step) * depth_step;
  const double intensity = 2 * area / ((tile.rows + tile.columns) * p.operand);
  const double starved = std::max(1.0, constants.intensity / intensity);
  const double output = split > 1 ? 4 : p.output;
  double time = waves * (constants.prologue_s + 2 * area * depth / p.rate * starved +
                         constants.epilogue * area * output / p.bandwidth);
  if (split > 1) {
    const double sums = 4 * split * p.batch * p.m * p.n;
    time += constants.split_s + sums / (constants.memory_fraction * p.bandwidth * p.processors);
  }
  return time;
}

}  // namespace

double product_seconds(const Product& product, const TileConstants& constants) {
  double best = tiled_seconds(product, tiles[0], 1, constants);
  for (const Tile tile : tiles)
    for (const double split : splits)
      best = std::min(best, tiled_seconds(product, tile, split, constants));
  return best;
}

}  // namespace pipewright
