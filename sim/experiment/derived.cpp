#include "experiment/derived.hpp"

namespace pipewright {

FusedAttention fused_attention(const Experiment& e) {
  if (e.attention == AttentionChoice::flash1) return FusedAttention::flash1;
  const bool older = e.attention == AttentionChoice::flash ? e.parallel.zero == 3
                                                           : e.attention == AttentionChoice::flash2;
  return older ? FusedAttention::flash2 : FusedAttention::fastest;
}

LossKernel loss_kernel(const Experiment& e) {
  if (e.loss) return *e.loss;
  const bool fused = e.parallel.zero == 3 && e.attention != AttentionChoice::unfused;
  return fused ? LossKernel::fused : LossKernel::fp32;
}

Framework framework(const Experiment& e) {
  if (e.given_framework) return *e.given_framework;
  const bool gathers_late = e.parallel.zero == 3 && e.attention == AttentionChoice::unfused;
  return gathers_late ? Framework::deepspeed_0_4 : Framework::megatron;
}

KernelFusion kernel_fusion(const Experiment& e) {
  if (e.kernels) return *e.kernels;
  const bool eager = e.parallel.zero == 3 && fused_attention(e) != FusedAttention::fastest;
  return eager ? KernelFusion::eager : KernelFusion::fused;
}

}  // namespace pipewright
