#include "plan/workload_of.hpp"

#include "experiment/training_state.hpp"
#include "machine/fused_attention.hpp"

namespace pipewright {
namespace {

AttentionKernel attention_kernel(const Experiment& e) {
  const config::Value* attention = e.document.find("attention");
  if (!attention) return AttentionKernel::flash;
  const size_t choice =
      config::as_choice(*attention, {"unfused", "flash", "flash1", "flash2", "flash3"});
  return choice == 0 ? AttentionKernel::unfused : AttentionKernel::flash;
}

/// The loss in place on logits is what FSDP frameworks run; Megatron-LM's keeps an fp32 copy, as
/// all of them did before there was fused attention.
bool fuses_loss(const Experiment& e) {
  const config::Value* loss = e.document.find("loss");
  if (!loss) return e.parallel.zero == 3 && attention_kernel(e) == AttentionKernel::flash;
  return config::as_choice(*loss, {"fp32", "fused"}) == 1;
}

/// PyTorch's operators one by one are what FSDP frameworks run, unless they compile.
bool runs_eagerly(const Experiment& e) {
  const config::Value* kernels = e.document.find("kernels");
  if (kernels) return config::as_choice(*kernels, {"fused", "eager"}) == 1;
  return e.parallel.zero == 3 && fused_attention(e) != FusedAttention::fastest;
}

}  // namespace

bool gathers_late(const Experiment& e) {
  if (e.parallel.zero < 3 || e.parallel.data * e.parallel.context == 1) return false;
  if (e.document.find("framework")) return e.framework == Framework::deepspeed_0_4;
  return attention_kernel(e) == AttentionKernel::unfused;
}

WorkloadOptions workload_options(const Experiment& e) {
  WorkloadOptions options;
  options.micro_batch = e.batch.micro;
  options.sequence = e.batch.sequence;
  options.tensor = e.parallel.tensor;
  options.tensor_grid = e.parallel.tensor_grid;
  options.signatures = e.parallel.signatures;
  options.sequence_parallel = e.parallel.sequence.value_or(false);
  options.context = e.parallel.context;
  options.exchange = e.parallel.context_options.exchange;
  options.zigzag = e.parallel.context_options.zigzag;
  options.strips = e.parallel.spatial;
  options.expert = e.parallel.expert;
  options.precision = e.precision;
  options.scaling = e.scaling;
  options.gradients = e.gradients;
  options.attention = attention_kernel(e);
  options.fused_loss = fuses_loss(e);
  options.eager = runs_eagerly(e);
  options.sharded_gradients = e.parallel.zero >= 2 && fused_attention(e) != FusedAttention::fastest;
  options.copied_weights = gathers_late(e);
  if (const config::Value* recompute = e.document.find("recompute"))
    options.recompute = read_recompute(*recompute);
  return options;
}

}  // namespace pipewright
