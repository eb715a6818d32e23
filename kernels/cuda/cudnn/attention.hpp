// Attention as a graph that cuDNN knows and fuses, so that scores are never stored.
#pragma once

#include "kernels/cuda/cudnn/graph.hpp"

namespace pipewright::kernels::cuda::cudnn {

/// Makes the graph, which is given q, k, v, y, log_sums.
std::unique_ptr<Graph> attention_graph(const Library& library, const FusedAttention& shape);
/// Makes the graph, which is given q, k, v, y, log_sums, dy, dq, dk, dv.
std::unique_ptr<Graph> attention_gradient_graph(const Library& library,
                                                const FusedAttention& shape);

}  // namespace pipewright::kernels::cuda::cudnn
