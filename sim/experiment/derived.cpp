#include "experiment/derived.hpp"

#include "workload/model/model.hpp"

namespace pipewright {
namespace {

/// The framework that was named has no kernels between products but PyTorch's own.
bool names_plain_torch(const Experiment& e) {
  if (!e.given_framework) return false;
  switch (*e.given_framework) {
    case Framework::torch:
    case Framework::torchtitan:
    case Framework::nanotron:
    case Framework::fsdp2:
      return true;
    case Framework::deepspeed:
    case Framework::deepspeed_0_5:
    case Framework::deepspeed_0_4:
    case Framework::megatron:
    case Framework::megatron_2022:
    case Framework::megatron_2021:
    case Framework::jax:
      return false;
  }
  return false;
}

/// Kernels are PyTorch's own. Of DeepSpeed, and without a framework, that is guessed of those who
/// shard weights.
bool runs_torch_kernels(const Experiment& e) {
  if (names_plain_torch(e)) return true;
  const Framework named = e.given_framework.value_or(Framework::deepspeed);
  return e.parallel.zero == 3 && !is_megatron(named) && named != Framework::jax;
}

/// Tells whether a name of the catalogue says that there are several nodes: hf-p5-64 has 64.
bool names_several_nodes(const std::string& name) {
  const std::string number = name.substr(name.rfind('-') + 1);
  return name != "dgx-2" && number != "1" && !number.empty() &&
         number.find_first_not_of("0123456789") == std::string::npos;
}

bool has_several_nodes(const Experiment& e) {
  const config::Value* cluster = e.document.find("cluster");
  if (!cluster) return false;
  if (!cluster->is_map()) return names_several_nodes(cluster->text);
  const config::Value* nodes = cluster->find("nodes");
  return nodes ? nodes->text != "1" : cluster->find("groups") != nullptr;
}

}  // namespace

FusedAttention fused_attention(const Experiment& e) {
  if (e.attention == AttentionChoice::flash1) return FusedAttention::flash1;
  const bool older = e.attention == AttentionChoice::flash ? runs_torch_kernels(e)
                                                           : e.attention == AttentionChoice::flash2;
  return older ? FusedAttention::flash2 : FusedAttention::fastest;
}

LossOptions loss_options(const Experiment& e) {
  if (e.loss) return *e.loss;
  if (e.attention == AttentionChoice::unfused || e.given_framework == Framework::nanotron)
    return {.kernel = LossKernel::steps};
  return {.kernel = runs_torch_kernels(e) ? LossKernel::fused : LossKernel::fp32};
}

DType weight_dtype(const Experiment& e) {
  return e.autocast ? DType::fp32 : activation_dtype(e.precision);
}

bool has_wide_adapters(const Experiment& e) {
  if (e.adapters.rank == 0 || weight_dtype(e) == DType::fp32) return false;
  return e.adapters.wide.value_or(e.given_framework && is_torch_alone(*e.given_framework));
}

UpdateKernels update_kernels(const Experiment& e) {
  if (e.update) return *e.update;
  const bool by_torch = e.given_framework && is_torch_alone(*e.given_framework);
  return by_torch ? UpdateKernels::foreach : UpdateKernels::fused;
}

Framework framework(const Experiment& e) {
  if (e.given_framework) return *e.given_framework;
  if (e.attention != AttentionChoice::unfused) return Framework::megatron;
  if (e.parallel.zero == 3) return Framework::deepspeed_0_4;
  const bool half = e.precision == DType::fp16 || e.precision == DType::bf16;
  return half ? Framework::megatron_2021 : Framework::megatron;
}

KernelFusion kernel_fusion(const Experiment& e) {
  if (e.kernels) return *e.kernels;
  if (e.attention == AttentionChoice::flash3) return KernelFusion::fused;
  const bool eager =
      e.attention == AttentionChoice::unfused ? names_plain_torch(e) : runs_torch_kernels(e);
  return eager ? KernelFusion::eager : KernelFusion::fused;
}

bool sums_sharded_gradients(const Experiment& e) {
  const bool by_torch = e.attention == AttentionChoice::cudnn
                            ? runs_torch_kernels(e)
                            : fused_attention(e) != FusedAttention::fastest;
  return e.parallel.zero >= 2 && by_torch;
}

CollectiveChecks collective_checks(const Experiment& e) {
  if (e.given_checks) return *e.given_checks;
  const bool debugged = e.framework == Framework::nanotron && e.parallel.pipeline > 1;
  return debugged && has_several_nodes(e) ? CollectiveChecks::detail : CollectiveChecks::none;
}

std::string framework_of_regime(const Experiment& e) {
  if (!e.model) return "given";
  if (e.model->cnn) return "images";
  if (e.model->recurrent) return "recurrent";
  if (e.model->layers) return "given";
  if (e.parallel.zero == 3) return "fsdp";
  if (is_megatron(e.framework)) return "megatron";
  // Where FSDP2 cuts no weights, nobody has published runs of it.
  const Framework named = e.framework == Framework::fsdp2 ? Framework::torch : e.framework;
  return std::string(choices::framework[size_t(named)]);
}

}  // namespace pipewright
