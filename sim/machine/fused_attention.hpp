// Whose fused attention an experiment runs.
#pragma once

#include "cost/cost_model.hpp"
#include "experiment/experiment.hpp"

namespace pipewright {

/// `attention: flash` is the kernel that the framework has: PyTorch's own is FlashAttention-2,
/// Megatron-LM's and JAX's the newest of cuDNN. Who shards weights (zero: 3) runs the former.
FusedAttention fused_attention(const Experiment& experiment);

}  // namespace pipewright
