// A buffer in n parts that differ by a byte at most, and rounds put together from rounds.
#pragma once

#include <algorithm>
#include <bit>

#include "network/collectives/collective.hpp"

namespace pipewright::collective {

/// Bytes of the first `count` of n parts.
constexpr int64_t leading(Bytes whole, int64_t count, int64_t n) {
  return whole.count / n * count + std::min(count, whole.count % n);
}

/// Bytes of the parts first .. first + count - 1; both taken modulo n.
constexpr Bytes part(Bytes whole, int64_t first, int64_t n, int64_t count = 1) {
  first = (first % n + n) % n;
  return {leading(whole, first + count, n) - leading(whole, first, n)};
}

inline bool is_power_of_two(int n) { return std::has_single_bit(static_cast<unsigned>(n)); }
inline int log2_of(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }

/// A pipeline carries a buffer in pieces of about this size, at least one.
inline constexpr Bytes pipeline_piece{512 << 10};
inline int64_t pieces_of(Bytes whole) {
  return std::max<int64_t>(1, (whole.count + pipeline_piece.count - 1) / pipeline_piece.count);
}

/// The ring of the given ranks, which hold or want the parts [first, first + ring size * span) of
/// n: what ring.cpp and hierarchical.cpp share.
struct RingOf {
  std::vector<int> ranks;
  Bytes whole;         ///< of this ring
  uint8_t stream = 0;  ///< of its messages
  int size() const { return static_cast<int>(ranks.size()); }
  int rank(int64_t place) const { return ranks[static_cast<size_t>(place % size())]; }
};
Fluid ring_fluid(CollectiveKind kind, const RingOf& ring);
Rounds ring_rounds(CollectiveKind kind, RingOf ring);

/// One phase after another; the groups of a phase run side by side. Chains are those of the first
/// group of each phase.
using Phase = std::vector<RingOf>;
struct PhasedRing {
  CollectiveKind kind;
  Phase groups;
};
Fluid phases_fluid(const std::vector<PhasedRing>& phases);
Rounds phases_rounds(std::vector<PhasedRing> phases);

}  // namespace pipewright::collective
