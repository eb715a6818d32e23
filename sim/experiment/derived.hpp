// Options that other options decide where the user does not.
#pragma once

#include <string>

#include "cost/cost_model.hpp"
#include "experiment/experiment.hpp"

namespace pipewright {

/// Returns whose fused attention kernel runs. `attention: flash` is the kernel that the framework
/// has: PyTorch's own is FlashAttention-2, Megatron-LM's and JAX's the newest of cuDNN. Who shards
/// weights (zero: 3) and names no framework runs the former.
FusedAttention fused_attention(const Experiment& experiment);

/// Returns how the head works on logits. The loss in place is what FSDP frameworks run. On an fp32
/// copy, Megatron-Core's and JAX's are compiled; nanotron's runs in steps, as all of them did
/// before there was fused attention.
LossOptions loss_options(const Experiment& experiment);

/// Returns the number format of weights between steps that are stored in none of their own: fp32
/// under autocast.
DType weight_dtype(const Experiment& experiment);

/// Returns whether adapters compute in fp32, as peft's do beside weights in 16 bits.
bool has_wide_adapters(const Experiment& experiment);

/// Returns how the optimizer's rule runs. PyTorch's own Adam runs an operator at a time.
UpdateKernels update_kernels(const Experiment& experiment);

/// Returns whose habits memory and communication follow. ZeRO 3 with unfused attention is of 2021.
Framework framework(const Experiment& experiment);

/// Returns the framework by which residuals of published runs are told apart: "megatron", "fsdp",
/// "images", "recurrent"; "given" where nothing is modelled.
std::string framework_of_regime(const Experiment& experiment);

/// Returns whether operators are fused. PyTorch's operators one by one are what FSDP frameworks
/// run, unless they compile.
KernelFusion kernel_fusion(const Experiment& experiment);

/// Returns whether shards of gradients are summed up by kernels of their own, as FSDP's are.
bool sums_sharded_gradients(const Experiment& experiment);

/// Returns what ranks compare before each collective. Scripts that start nanotron on several nodes
/// ask PyTorch to compare (huggingface/nanotron 77f54c10 and 110f318e, run_multinode.sh; ef206a3a,
/// slurm_launcher.py; March to May 2025). Its published runs with one stage are from before
/// (67c5ebb6), when that script did not.
CollectiveChecks collective_checks(const Experiment& experiment);

}  // namespace pipewright
