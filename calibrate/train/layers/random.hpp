// Numbers that depend on nothing but their seed: the same weights and data on every machine.
#pragma once

#include <cstdint>

namespace pipewright::train {

/// SplitMix64 (Steele, Lea, Flood: OOPSLA 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  /// An independent sequence for the `index`-th thing that `seed` describes.
  Random(uint64_t seed, uint64_t index) : state_(seed) {
    state_ = next() ^ (index * 0xd1342543de82ef95u);
  }

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Returns a number in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Returns a number in [0, below).
  int32_t index(int32_t below) { return static_cast<int32_t>(uniform() * below); }
  /// Mean 0, deviation 1.
  double normal();

 private:
  uint64_t state_;
};

}  // namespace pipewright::train
