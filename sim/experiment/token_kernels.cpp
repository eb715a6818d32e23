#include "experiment/token_kernels.hpp"

#include "workload/model/model.hpp"

namespace pipewright {

bool sends_by_library(const Experiment& experiment) {
  if (!experiment.model || !experiment.model->transformer.experts) return false;
  const DispatchOptions& dispatch = experiment.dispatch;
  const bool by_nccl = dispatch.kernels == DispatchKernels::automatic
                           ? dispatch.send != DispatchOptions::Send::once_a_node
                           : dispatch.kernels == DispatchKernels::nccl;
  if (by_nccl) return false;
  const ContextOptions& context = experiment.parallel.context_options;
  const bool exchanges_heads = context.exchange == ContextExchange::ulysses || context.heads > 1;
  return !exchanges_heads && experiment.parallel.scattered == ScatteredGradients::as_held;
}

}  // namespace pipewright
