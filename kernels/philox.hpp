// Random numbers that follow from their place alone, so that every thread of every device draws the
// same without telling another: Philox 4x32 in 10 rounds. Source: Salmon, Moraes, Dror, Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011 (constants: its table 2 and the code
// beside it).
#pragma once

#include <cstdint>

namespace pipewright::kernels {

/// Four draws, and the counter that they are made of.
struct Philox {
  uint32_t at[4];
};

constexpr Philox philox(Philox counter, uint64_t key) {
  constexpr uint64_t first = 0xD2511F53, second = 0xCD9E8D57;
  constexpr uint32_t first_step = 0x9E3779B9, second_step = 0xBB67AE85;
  auto low_key = static_cast<uint32_t>(key), high_key = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = first * counter.at[0], b = second * counter.at[2];
    counter = {{static_cast<uint32_t>(b >> 32) ^ counter.at[1] ^ low_key, static_cast<uint32_t>(b),
                static_cast<uint32_t>(a >> 32) ^ counter.at[3] ^ high_key,
                static_cast<uint32_t>(a)}};
    low_key += first_step;
    high_key += second_step;
  }
  return counter;
}

/// Tells which of many numbers are dropped, four neighbours at a time.
struct DropMask {
  uint64_t seed, stream;
  uint32_t below;  ///< a draw below this drops its number
  float scale;     ///< of those that are kept

  /// Draws of the numbers 4 quad .. 4 quad + 3.
  constexpr Philox draws(uint64_t quad) const {
    return philox({{static_cast<uint32_t>(quad), static_cast<uint32_t>(quad >> 32),
                    static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)}},
                  seed);
  }
  constexpr float factor(uint32_t draw) const { return draw < below ? 0.0f : scale; }
};

/// `probability` in [0, 1): to one in 2^32.
constexpr DropMask drop_mask(double probability, uint64_t seed, uint64_t stream) {
  return {seed, stream, static_cast<uint32_t>(probability * 4294967296.0),
          static_cast<float>(1 / (1 - probability))};
}

}  // namespace pipewright::kernels
