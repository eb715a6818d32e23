// The CUDA graphs of blocks that an experiment asks for.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright {

/// Returns the modules that are graphs. Throws Misfit for graphs that what else the experiment says
/// makes impossible, as in Megatron-Core (transformer_config.py).
BlockGraphs block_graphs(const Experiment& experiment);

}  // namespace pipewright
