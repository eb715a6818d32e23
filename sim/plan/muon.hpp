// Muon: an optimizer that makes the updates of matrices orthogonal.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "plan/memory.hpp"

namespace pipewright {

/// Tells whether an optimizer steps matrices of blocks as a whole; Adam steps the rest.
bool steps_matrices(Optimizer optimizer);

using Matrix = std::pair<int64_t, int64_t>;  ///< rows and columns, of which there are no fewer
/// Returns the matrices that a stage's blocks have gradients of on one device, each with how many
/// of them the device steps: under zero: 1 whole ones are shared out, the most that one gets.
std::map<Matrix, int64_t> stepped_matrices(std::span<const Layer> stage,
                                           const StateOptions& options);

/// The trained parameters of a stage on one device that are not in matrices of its blocks: Adam
/// steps them.
ParameterCount beside_matrices(std::span<const Layer> stage);

/// The products of Newton-Schulz steps on one device, without what the update itself reads and
/// writes.
std::vector<Work> orthogonalisation(std::span<const Layer> stage, const StateOptions& options);

}  // namespace pipewright
