#include "plan/workload_of.hpp"

#include "experiment/derived.hpp"
#include "experiment/token_kernels.hpp"
#include "experiment/training_state.hpp"
#include "plan/block_graphs.hpp"
#include "plan/images.hpp"
#include "workload/model/model.hpp"

namespace pipewright {
bool gathers_late(const Experiment& e) {
  if (e.parallel.zero < 3 || e.parallel.data * e.parallel.context == 1) return false;
  return e.framework == Framework::deepspeed_0_4;
}

/// Gathered weights lie rank by rank and are copied out into parameters, as in FSDP2.
static bool splits_weights(const Experiment& e) {
  const bool gathers = e.parallel.zero == 3 && e.parallel.data * e.parallel.context > 1;
  return gathers && has_fsdp2(e.framework);
}

/// Weights that are gathered in 8 bits are made what they were. Throws Misfit for fp8 without
/// products in fp8.
static bool widens_weights(const Experiment& e) {
  if (e.parallel.gathered == GatheredWeights::fp8 && e.precision != DType::fp8)
    e.misfit("parallel", "parallel.gathered: fp8 is about products in fp8: precision must be fp8");
  const bool gathers = e.parallel.zero == 3 && e.parallel.data * e.parallel.context > 1;
  return gathers && e.parallel.gathered == GatheredWeights::int8;
}

static Operators operators_of(const Experiment& e) {
  if (kernel_fusion(e) == KernelFusion::fused) return Operators::fused;
  return e.framework == Framework::nanotron ? Operators::nanotron : Operators::eager;
}

static ScoreSoftmax softmax_of(const Experiment& e) {
  switch (e.framework) {
    case Framework::megatron:
    case Framework::megatron_2022:
    case Framework::megatron_2021:
    case Framework::deepspeed:
    case Framework::deepspeed_0_5:
    case Framework::deepspeed_0_4:
      return ScoreSoftmax::megatron;
    case Framework::torch:
    case Framework::torchtitan:
    case Framework::fsdp2:
    case Framework::nanotron:
    case Framework::jax:
      return ScoreSoftmax::fused;
  }
  return ScoreSoftmax::fused;
}

/// Tensor ranks gather and scatter DTensors, by tokens inside sequences.
static bool has_sequences_first(const Experiment& e) {
  return has_fsdp2(e.framework) && e.overlap.tensor.kind == TensorOverlap::none;
}

static RoutedWeights routed_weights(const Experiment& e) {
  const bool deepspeed = e.framework == Framework::deepspeed ||
                         e.framework == Framework::deepspeed_0_5 ||
                         e.framework == Framework::deepspeed_0_4;
  const bool multiplied = deepspeed || is_torch_alone(e.framework);
  return multiplied ? RoutedWeights::results : RoutedWeights::activations;
}

/// Throws Misfit for 12 bits without products in fp8, which cast them.
static KeptFormats kept_formats(const Experiment& e) {
  if (e.kept.attention_outputs == KeptOutputs::e5m6 && e.precision != DType::fp8)
    e.misfit("kept",
             "kept.attention_outputs: e5m6 is about products in fp8: precision must be fp8");
  return {e.kept.activation_inputs, e.kept.attention_outputs};
}

/// The low-latency kernels of DeepEP send every copy, into the order of experts.
static TokenLibrary token_library(const Experiment& e) {
  const DispatchKernels kernels = e.dispatch.kernels;
  if (!sends_by_library(e) || kernels == DispatchKernels::deepep_low_latency)
    return TokenLibrary::none;
  return kernels == DispatchKernels::hybridep ? TokenLibrary::hybridep : TokenLibrary::deepep;
}

/// HybridEP fills rows up and finds their order by its own kernels. A capacity is a multiple of
/// what products take.
static RowOptions row_options(const Experiment& e) {
  if (!e.model) return {};
  const auto& experts = e.model->transformer.experts;
  if (!experts) return {};
  const TokenLibrary library = token_library(e);
  if (!is_megatron(e.framework)) return {.library = library};
  const bool fills = library == TokenLibrary::hybridep;
  const bool narrow = e.precision == DType::fp8 || e.precision == DType::nvfp4;
  const bool drops = experts->capacity > 0;
  const bool gathers = e.dispatch.send == DispatchOptions::Send::all_gather;
  return {.by_all_to_all = !sends_by_library(e) && !gathers,
          .library = library,
          .filled = narrow && !drops && !fills};
}

WorkloadOptions workload_options(const Experiment& e) {
  const bool whole_logits = e.parallel.tensor == 1 && e.parallel.tensor_grid.is_line();
  if (!whole_logits && loss_options(e).kernel == LossKernel::chunked)
    e.misfit("loss",
             "loss: chunked makes all logits of a token on one device, with tensor: 1 in a line");
  check_images(e);
  WorkloadOptions options;
  options.micro_batch = e.batch.micro;
  options.sequence = e.batch.sequence;
  options.images = {e.batch.images, e.batch.image_size};
  options.tensor = e.parallel.tensor;
  options.tensor_grid = e.parallel.tensor_grid;
  options.signatures = e.parallel.signatures;
  options.sequence_parallel = e.parallel.sequence;
  options.context = e.parallel.context;
  options.context_split.exchange = e.parallel.context_options.exchange;
  options.context_split.heads = e.parallel.context_options.heads;
  options.context_split.zigzag = e.parallel.context_options.zigzag;
  options.context_split.strips = e.parallel.spatial;
  options.expert = e.parallel.expert;
  options.expert_tensor = e.parallel.expert_tensor;
  options.gathers_tokens = e.dispatch.send == DispatchOptions::Send::all_gather;
  options.rows = row_options(e);
  options.indexes_rows = is_torch_alone(e.framework) && kernel_fusion(e) == KernelFusion::eager;
  options.fp8.dispatch = e.dispatch.fp8;
  options.precision = e.precision;
  options.autocast = e.autocast;
  options.fp8.scaling = e.scaling;
  options.gradients = e.gradients;
  options.kernels.attention =
      e.attention == AttentionChoice::unfused ? AttentionKernel::unfused : AttentionKernel::flash;
  options.kernels.loss = loss_options(e);
  options.kernels.operators = operators_of(e);
  options.kernels.softmax = softmax_of(e);
  options.kernels.routed = routed_weights(e);
  options.kernels.complex_rotation = e.framework == Framework::torchtitan;
  options.kernels.sequences_first = has_sequences_first(e);
  options.kernels.stacks_kept = e.framework == Framework::jax;
  options.sharded.sums_gradients = sums_sharded_gradients(e);
  options.sharded.copies_weights = gathers_late(e);
  options.sharded.splits_weights = splits_weights(e);
  options.sharded.widens_weights = widens_weights(e);
  options.sharded.narrows_gradients = e.parallel.scattered != ScatteredGradients::as_held &&
                                      e.parallel.data * e.parallel.context > 1;
  options.recompute = e.recompute;
  options.adapter_rank = e.adapters.rank;
  options.expert_adapters = e.adapters.experts;
  options.wide_adapters = has_wide_adapters(e);
  options.frozen = e.frozen;
  options.stored = e.weights;
  options.kept = kept_formats(e);
  options.offloaded = e.offload.inputs;
  options.graphs = block_graphs(e);
  options.pieces = e.partition.pieces;
  return options;
}

}  // namespace pipewright
