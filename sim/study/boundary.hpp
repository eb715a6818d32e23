// `boundary: scatter-gather`, what is sent between stages, once (Megatron-LM, arXiv 2104.04473,
// section 4.1).
//
// Without sequence parallelism all t tensor ranks of a stage hold all of its output. As it is each
// sends it whole to its like; here each sends a part, and the t that receive gather the whole:
//   t messages of S / t in place of t of S; an all-gather of S before the pass that needs it
// for S bytes of a micro-batch's (or slice's) output or gradient. Stages on one rank send nothing.
#pragma once

#include "program/lower.hpp"
#include "study/mesh_work.hpp"

namespace pipewright {

/// In how many parts an output leaves, 1 or as many as tensor ranks. Throws InputError for a key
/// that is none of the two, Misfit for stages that are not alike.
int boundary_parts(const MeshWork& work);

/// From whom a stage receives over links.
struct Neighbours {
  bool before = false, after = false;
};

/// Changes a stage that sends and receives whole outputs to one of `parts`.
void scatter_boundary(int parts, Neighbours neighbours, StageWork& stage);

}  // namespace pipewright
