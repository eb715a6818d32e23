#include "study/workload_of.hpp"

namespace pipewright {

WorkloadOptions workload_options(const Experiment& e) {
  WorkloadOptions options;
  options.micro_batch = e.batch.micro;
  options.sequence = e.batch.sequence;
  options.tensor = e.parallel.tensor;
  options.tensor_grid = e.parallel.tensor_grid;
  options.sequence_parallel = e.parallel.sequence.value_or(false);
  options.context = e.parallel.context;
  options.expert = e.parallel.expert;
  options.precision = e.precision;
  options.gradients = e.gradients;
  if (const config::Value* attention = e.document.find("attention")) {
    options.attention = config::as_choice(*attention, {"flash", "unfused"}) == 0
                            ? AttentionKernel::flash
                            : AttentionKernel::unfused;
  }
  if (const config::Value* recompute = e.document.find("recompute"))
    options.recompute = read_recompute(*recompute);
  return options;
}

}  // namespace pipewright
