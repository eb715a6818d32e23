// Hybrid models of Megatron-Core: layers of Mamba 2, attention, MLPs and experts, each with
// a norm and a residual of its own (core/models/hybrid, until 2026 core/models/mamba).
#pragma once

#include "convert/megatron/flags.hpp"
#include "convert/megatron/hybrid_pattern.hpp"

namespace pipewright::megatron {

/// Returns the layers that the arguments say; `is_asked` where the program trains nothing else.
/// Nothing where they say none. A program without hybrid models is not asked for them.
std::optional<HybridPattern> read_hybrid(Flags& flags, bool is_asked);

/// Sets what layers of which dimensions `transformer` has.
void set_hybrid(Flags& flags, const HybridPattern& pattern, int64_t hidden,
                config::Value& transformer);

}  // namespace pipewright::megatron
