// Where ranks stand whose collectives do not name their groups.
//
// Frameworks number ranks so that those of a stage follow one another (Megatron-LM, DeepSpeed and
// torchtitan all have the pipeline outermost). A rank between two others exchanges twice as many
// messages as one at an end of the pipeline, so that the number of ranks at the ends tells how
// many stages there are.
#pragma once

#include <vector>

#include "diagnose/rank_operations.hpp"

namespace pipewright::diagnose {

/// What tells the place of a rank.
struct RankSigns {
  size_t messages = 0;
  Time begin, end;  ///< of its first forward pass, on the clock of all
};

/// The places of ranks in order. Ranks without messages, or whose messages are those of no
/// pipeline, all hold the same stage. Two stages have the ends only: the second must begin after
/// the first pass of the first, or its messages are exchanges of experts.
std::vector<GridPlace> places_by_messages(const std::vector<RankSigns>& ranks);

}  // namespace pipewright::diagnose
