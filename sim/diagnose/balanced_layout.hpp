// What a slow stage is cured by: another layout of the layers over the stages.
//
// The cause itself is a run in which the stage is as fast as the others. Its work has to go
// somewhere, so a layout brings less. Where nobody knows the layers, the work of all stages is
// spread evenly. Where their numbers are known, a layer takes what it does on the stages between
// the first and the last, and what these two take beyond their layers (embedding, head, loss) stays
// where it is. Layers are then handed out one after another, each to the stage whose rank would
// have least to do. Single layers move from there as long as that shortens steps. No layout cures a
// stage whose devices are slow.
#pragma once

#include <string>
#include <vector>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {

/// Adds to the remedies of slow stages what a layout brings. `layers` has the number of layers of
/// each stage of the model; it is empty where they are not known. Nothing is advised
/// where the trace lacks a stage. Returns why no layout of layers is advised; empty: one is.
std::string advise_layout(const Evidence& evidence, const std::vector<int>& layers,
                          std::vector<Cause>& causes);

}  // namespace pipewright::diagnose
