// Bits mixed: SplitMix64's finalizer (Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014).
#pragma once

#include <cstdint>

namespace pipewright {

/// Returns the 64 bits mixed, so that sums of them tell apart what they are sums of, and neighbours
/// have nothing to do with each other.
inline uint64_t mixed(uint64_t bits) {
  bits += 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return bits ^ bits >> 31;
}

}  // namespace pipewright
