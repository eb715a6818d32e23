// What of a Megatron-LM job's communication runs beside its compute, and how tokens reach experts.
#pragma once

#include "convert/megatron/degrees.hpp"
#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Gives the experiment of `flags` the keys `overlap` and `data`. It has its model, degrees and
/// gradients. `is_interleaved` says whether a rank has several stages.
void read_overlap(Flags& flags, const Degrees& degrees, bool is_interleaved, bool is_list);

/// Gives the experiment the key `dispatch` where experts are spread, and notes what of their
/// overlap is not modelled.
void read_dispatch(Flags& flags);

}  // namespace pipewright::megatron
