#include "plan/workload_of.hpp"

#include "experiment/derived.hpp"
#include "experiment/training_state.hpp"

namespace pipewright {
bool gathers_late(const Experiment& e) {
  if (e.parallel.zero < 3 || e.parallel.data * e.parallel.context == 1) return false;
  return e.framework == Framework::deepspeed_0_4;
}

/// Gathered weights lie rank by rank and are copied out into parameters, as in FSDP2.
static bool splits_weights(const Experiment& e) {
  const bool gathers = e.parallel.zero == 3 && e.parallel.data * e.parallel.context > 1;
  return gathers && e.framework == Framework::torchtitan;
}

WorkloadOptions workload_options(const Experiment& e) {
  WorkloadOptions options;
  options.micro_batch = e.batch.micro;
  options.sequence = e.batch.sequence;
  options.tensor = e.parallel.tensor;
  options.tensor_grid = e.parallel.tensor_grid;
  options.signatures = e.parallel.signatures;
  options.sequence_parallel = e.parallel.sequence;
  options.context = e.parallel.context;
  options.exchange = e.parallel.context_options.exchange;
  options.zigzag = e.parallel.context_options.zigzag;
  options.strips = e.parallel.spatial;
  options.expert = e.parallel.expert;
  options.dispatch_fp8 = e.dispatch.fp8;
  options.precision = e.precision;
  options.scaling = e.scaling;
  options.gradients = e.gradients;
  options.attention =
      e.attention == AttentionChoice::unfused ? AttentionKernel::unfused : AttentionKernel::flash;
  options.fused_loss = loss_kernel(e) == LossKernel::fused;
  options.eager = kernel_fusion(e) == KernelFusion::eager;
  options.sharded_gradients = e.parallel.zero >= 2 && fused_attention(e) != FusedAttention::fastest;
  options.copied_weights = gathers_late(e);
  options.split_weights = splits_weights(e);
  options.recompute = e.recompute;
  options.pieces = e.partition.pieces;
  return options;
}

}  // namespace pipewright
