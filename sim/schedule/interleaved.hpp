// Interleaved 1F1B's order of work, which token slices only refine.
#pragma once

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// The cut that interleaving makes of the micro-batches: rank i holds the stages i, p + i, ...,
/// (v-1)p + i.
struct Interleaving {
  int chunks = 1;  ///< v
  int group = 1;   ///< micro-batches that run through one chunk before the next has its turn
};

/// What `grouping` may be, Megatron-LM's way, the default, first.
inline constexpr std::string_view grouping_names[] = {"megatron", "torch"};

/// Reads `virtual` (`chunks` where it is missing), `grouping` and `group`. Throws Misfit where the
/// micro-batches cannot be grouped that way.
Interleaving read_interleaving(const Shape& shape, const config::Fields& fields, int chunks);

/// Reads `virtual` alone. Micro-batches are grouped as torch.distributed.pipelining groups them.
Interleaving read_torch_interleaving(const Shape& shape, const config::Fields& fields, int chunks);

/// Returns why Megatron-LM does not go round in groups of `group` micro-batches: it wants p <= g <=
/// m, and what is left over to be nothing or at least p. Empty where it does.
std::string why_not_in_groups(int ranks, int micro_batches, int group);

/// One iteration: on every rank its `warm_up(rank)` first forwards, then F and B in turn, then the
/// backwards that are left. Forwards go group by group, in it chunk by chunk, in it micro-batch by
/// micro-batch, in it slice by slice; backwards the same with chunks and slices reversed.
Schedule interleaved_schedule(const Shape& shape, const Interleaving& interleaving, int slices,
                              const std::function<int(int rank)>& warm_up);

}  // namespace pipewright::schedule
