// Fixed-point numbers of 128 bits. Sums of them are exact in any order: what is added and taken
// away again leaves nothing behind, however often, which is what lets rates be updated instead of
// being computed afresh.
#pragma once

#include <cmath>
#include <cstdint>

namespace pipewright::network {

__extension__ typedef __int128 Fixed;
__extension__ typedef unsigned __int128 UnsignedFixed;
inline constexpr Fixed unlimited = ~(Fixed{1} << 127);

/// The lower 128 bits: as unsigned numbers, for which clang needs no function that GCC's runtime
/// library lacks.
constexpr Fixed times(Fixed a, uint64_t n) {
  return static_cast<Fixed>(static_cast<UnsignedFixed>(a) * n);
}

/// The upper half; below zero exactly where `x` is.
constexpr int64_t upper(Fixed x) { return static_cast<int64_t>(x >> 64); }

/// Exact where 53 bits are enough, else off by one of them at most.
constexpr double to_double(Fixed x) {
  return 0x1p64 * static_cast<double>(upper(x)) + static_cast<double>(static_cast<uint64_t>(x));
}

/// Rounded down also where `a` is below zero; b > 0.
constexpr Fixed divide_down(Fixed a, uint64_t b) {
  const Fixed quotient = a / static_cast<Fixed>(b);
  return times(quotient, b) > a ? quotient - 1 : quotient;
}

/// Takes `step` n times from `rest`, modulo 2^128; n < 2^62. Returns whether that may have left the
/// range, which taking it back repairs.
inline bool take(Fixed& rest, Fixed step, uint64_t n) {
  int64_t rough = 0;
  const bool too_much = __builtin_mul_overflow(upper(step), static_cast<int64_t>(2 * n), &rough);
  return __builtin_sub_overflow(rest, times(step, n), &rest) || too_much;
}

}  // namespace pipewright::network
