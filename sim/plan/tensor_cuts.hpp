// The cuts of `overlap.tensor`, so that tensor collectives hide behind compute.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright {

/// Chunks exclude the others.
struct TensorCuts {
  int chunks = 1;         ///< of a collective
  int slices = 1;         ///< of a micro-batch
  int columns = 1;        ///< pieces of the weights that a collective follows
  bool by_layer = false;  ///< slices meet at the end of each layer
};

/// Returns the cuts that the experiment asks for, else Domino's two slices (arXiv 2409.15241), and
/// four chunks, as Transformer Engine makes of a product before a reduce-scatter. One where there
/// is nothing to hide. Throws Misfit where a micro-batch cannot be cut.
TensorCuts tensor_cuts(const Experiment& experiment);

}  // namespace pipewright
