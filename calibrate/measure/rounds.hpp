// Rounds in which every two ranks meet once and nobody meets two at a time.
#pragma once

#include <optional>

namespace pipewright::calibration {

/// n - 1 for an even number of ranks, n for an odd one, of whom one rests in each.
int rounds_of(int ranks);

/// Returns whom `rank` meets in `round`, counted from 0; nobody when it rests.
std::optional<int> partner(int rank, int round, int ranks);

}  // namespace pipewright::calibration
