// `boundary`: what stages send each other, and in how many bits.
//
// scatter-gather (Megatron-LM, arXiv 2104.04473, section 4.1). Without sequence parallelism all t
// tensor ranks of a stage hold all of its output. As it is each sends it whole to its like; here
// each sends a part, and the t that receive gather the whole:
//   t messages of S / t in place of t of S; an all-gather of S before the pass that needs it
// for S bytes of a micro-batch's (or slice's) output or gradient. Stages on one rank send nothing.
//
// compress: int8 (SWARM, arXiv 2301.11913, by the block-wise quantisation of arXiv 2110.02861).
// What is sent, outputs and gradients, are 8 bits a number and an fp32 scale for each block of
// 4096:
//   n (1 + 4 / 4096) bytes for n numbers
// A kernel that reads and writes once makes them on the sender, another the numbers of the
// receiver. What it does to the loss is not modelled.
#pragma once

#include "plan/mesh_work.hpp"
#include "program/lower.hpp"

namespace pipewright {

struct Boundary {
  int parts = 1;       ///< in which an output leaves: 1 or as many as tensor ranks
  double element = 0;  ///< bytes of a number that is compressed; 0: it is sent as it is

  /// Returns what one rank sends of an output of `whole`.
  Bytes sent(Bytes whole) const;
};

/// Throws InputError for a key that is none of these, Misfit for stages that are not alike.
Boundary boundary_of(const Experiment& experiment, const WorkloadOptions& options);

/// The sides on which a stage exchanges over links.
struct Neighbours {
  bool before = false, after = false;
};

/// Changes a stage that sends and receives whole outputs to one that does as `boundary` says.
void set_boundary(const Boundary& boundary, DType dtype, Neighbours neighbours, StageWork& stage);

}  // namespace pipewright
