// A collective as the packets that one of its members sends and gets, one step after the other.
//
// A ring of n members passes S / n bytes to the next one, n - 1 times for a reduce_scatter or an
// all_gather, twice that for an all_reduce. In step k of an all_to_all everybody sends S / n bytes
// to the k-th next (Thakur, Rabenseifner, Gropp, IJHPCA 19, 2005).
#pragma once

#include "program/program.hpp"

namespace pipewright::live {

struct RingStep {
  uint32_t to = 0, from = 0;  ///< ranks
  Bytes bytes;
};

/// Steps that every member takes. Throws Failure for kinds that no ring is for.
int ring_steps(CollectiveKind kind, size_t members);

/// Returns what `rank` does in `step`. `bytes` as in OpType.
RingStep ring_step(CollectiveKind kind, const std::vector<uint32_t>& members, uint32_t rank,
                   int step, Bytes bytes);

}  // namespace pipewright::live
