// Muon: an optimizer that makes the updates of matrices orthogonal.
#pragma once

#include <span>
#include <vector>

#include "plan/memory.hpp"

namespace pipewright {

/// The trained parameters of a stage on one device that are not in matrices of its blocks: Adam
/// steps them.
ParameterCount beside_matrices(std::span<const Layer> stage);

/// The products of Newton-Schulz steps on one device, without what the update itself reads and
/// writes.
std::vector<Work> orthogonalisation(std::span<const Layer> stage, const StateOptions& options);

}  // namespace pipewright
