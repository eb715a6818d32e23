// A matrix product cut in tiles: the physics that data sheets and measured profiles share.
#pragma once

namespace pipewright {

/// The constants that decide a product's time besides its rate; tiles.cpp has the equation.
struct TileConstants {
  double intensity = 44;    ///< FLOPs a byte that a tile needs to run at full rate
  double epilogue = 0.75;   ///< of the time a tile's output takes at its processor's bandwidth
  double split_s = 0;       ///< fixed cost of cutting the depth of a product
  double quantisation = 1;  ///< of what the last, part-filled wave loses
  double prologue_s = 0;    ///< before a tile's first product
  double memory_fraction = 0.73;  ///< of the memory bandwidth that products reach
};

/// One product on one device.
struct Product {
  double batch = 1, m = 1, n = 1, k = 1;
  double processors = 1;
  double rate = 1;                 ///< FLOP/s of one processor
  double bandwidth = 1;            ///< bytes/s of memory for one processor
  double operand = 2, output = 2;  ///< bytes of one number
};

/// Seconds of the computation alone, without launch and without the memory's limit.
double product_seconds(const Product& product, const TileConstants& constants);

}  // namespace pipewright
