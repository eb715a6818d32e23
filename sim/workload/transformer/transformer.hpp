// A transformer as layers: embedding, blocks, head.
#pragma once

#include <vector>

#include "workload/layer.hpp"
#include "workload/transformer/transformer_shape.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

/// The layers of `shape`, embedding first, head last, each with the work of one device of the
/// tensor-parallel group on one micro-batch. `positions` is the length of the table of learned
/// positions; 0: the sequence of the options. Throws Misfit at `where` for degrees that do not
/// divide the model, InputError for tensors beyond any machine.
std::vector<Layer> transformer_layers(const TransformerShape& shape, const WorkloadOptions& options,
                                      int64_t positions, const config::Value& where);

}  // namespace pipewright
