// Convolutions as graphs of one operation.
#pragma once

#include "kernels/cuda/cudnn/graph.hpp"

namespace pipewright::kernels::cuda::cudnn {

/// Makes the graph, which is given x, w, y, or what of them is a gradient.
std::unique_ptr<Graph> convolution_graph(const Library& library, const Convolution& shape,
                                         Graph::Pass pass);

}  // namespace pipewright::kernels::cuda::cudnn
