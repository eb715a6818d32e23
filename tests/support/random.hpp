// Numbers that are drawn.
#pragma once

#include <cstdint>
#include <random>

namespace pipewright::test {

struct Random {
  std::mt19937_64 bits;
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(bits() % n); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  double real(double from, double to) {
    return from + (to - from) * static_cast<double>(bits() >> 11) * 0x1p-53;
  }
};

}  // namespace pipewright::test
