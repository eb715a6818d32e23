// The layers of Megatron-Core's hybrid models as text, "M-M*|M-ME/*E/*E"
// (core/models/hybrid/hybrid_layer_allocation.py; until 2026 mamba_hybrid_layer_allocation.py). M
// is a layer of Mamba 2, G one of the gated delta rule, * attention, - an MLP, E a mixture of
// experts. A | ends a stage of the pipeline, and behind each / stand the layers of a module that
// predicts a further token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipewright::megatron {

struct HybridPattern {
  std::string layers;       ///< a letter each
  std::vector<int> stages;  ///< layers of each stage; empty where none is marked
  std::string module;       ///< the layers of each module that predicts
  int64_t modules = 0;
};

/// Returns nothing for what Megatron-Core does not take, or does in other letters.
std::optional<HybridPattern> read_hybrid_pattern(std::string_view text);

/// Returns the layers of which such a share are attention and MLPs, as --hybrid-attention-ratio and
/// --hybrid-mlp-ratio have them: attention first, evenly between the others, then MLPs, evenly
/// among what is left. Counts are rounded as Python does, halves to the even one.
std::string pattern_of_shares(int64_t layers, double attention, double mlp);

}  // namespace pipewright::megatron
