// A host starts an operator of PyTorch in 15 us: Python, dispatcher, autograd, allocator, launch.
// Views cost it as much as kernels. Source: a Llama 7B in plain PyTorch on A100, bound by its host,
// makes 25.5 tokens/s (pytorch.org/blog/accelerating-generative-ai-2, November 2023); 38 ms for 32
// layers of 80 operators, counted in its model.py (pytorch-labs/gpt-fast).
//
// Operators for each kernel of ours, counted in the sources, a layer forward and backward together
// (views, custom autograd functions, gradient accumulation, random states included):
//   megatron  134 for 32 kernels: megatron/model/transformer.py and core/tensor_parallel/layers.py
//             of NVIDIA/Megatron-LM, core attention not fused; a collective is 3
//   nanotron  193 for 28 kernels: models/llama.py, parallel/tensor_parallel/functional.py and
//             optim/gradient_accumulator.py of huggingface/nanotron, December 2024. A column
//             product is up to three, with 22 operators; sequence lengths are summed in each layer;
//             a kernel in Triton costs three. A collective is 6
//   PyTorch   54 for 11 kernels of ours, forward; many of its own kernels are one of ours
//             (kernels: eager): torchtitan's Llama
//   autocast  12 more for 6 more kernels of ours in such a layer: casts of 7 weights and, for three
//             projections and two products of the MLP, of what they read
//   compiled  generated code allocates, guards and launches: 2.8 operators' time for each kernel
//   FSDP2     hooks, views and copies around each gather or reduction of a layer: 50 for one
//   LSTM      one for each kernel: an operator of cuDNN's starts a layer's three, and dropout,
//             masks and sums are operators beside it (NVIDIA/DeepLearningExamples, GNMT's
//             encoder.py and decoder.py)
//   jax       XLA's executor starts a kernel in about 3 us, the driver's time for a launch
//   graph     23 for the two graphs of a layer, forward and back, beside the launches of both.
//             Forward: a mask of zeros, copies of the stream, the mask and the rotation into place,
//             the custom function, what it gives; back: a copy of the gradient, the function, what
//             it gives, and for each of a layer's 6 weights a gradient and its accumulation
//             (Transformer Engine's graph.py, Megatron-Core's transformer_layer.py).
//             One is 11.5 operators, and a kernel 4.2: HostTimes::graph()
// One more product of a grouped one, in a loop of compiled code, takes 9 us: 160 of 154 rows
// (Transformer Engine on B200, MooreThreads/SimuMax e691807a7e,
// configs/system/b200_bf16_ceperm.json). Beside each of them Megatron's hosts are 8 us in Python,
// with the expert's weight, its gradient, its quantizers and its tensors: 3.3 ms forward and
// backward for two grouped products of 64 experts in MXFP8, whose kernels are fused and take 0.2 of
// them (NVIDIA/TransformerEngine, issue 2897, GB200). In bf16 it is less by the quantizers.
//
// Measured since, by PyTorch 2.11 on a Xeon of a virtual machine beside an H100
// (calibrate/profiles/h100-sxm.torch.csv), host time of a layer forward and backward: plain PyTorch
// 2.84 ms, for which 1.99 are counted here, so that host takes 1.43 times as long; compiled 1.58
// ms, under FSDP2 6.05. The last two counts are that over 1.43, and were not fitted to any run. A
// collective of torch.distributed takes 34 to 55 us there, where 45 are counted; an exchange with a
// neighbour takes 117. Its launch queue holds 1,022.
//
// Under TORCH_DISTRIBUTED_DEBUG=DETAIL the ranks of a group meet over TCP before each collective:
// the first receives from all others and answers each, and twice all gather what they call, in a
// ring (pytorch, ProcessGroupWrapper.cpp, ProcessGroupGloo.cpp). So it takes a part for each rank.
// Measured for this: all-reduces and broadcasts of 32 B by Gloo on 16 cores of one Xeon host,
// PyTorch 2.11, took 0.56, 0.85, 1.04, 1.62 and 2.15 ms longer with it, for 2, 3, 4, 6 and 8 ranks
// (means of the medians of two rounds of each, but for one of 3.6 ms at 8 ranks). The line through
// them is 0.30 ms and 0.26 ms for each further rank. Sends and receives are not compared.
//
// Effect, beside one constant of 72 us fitted to vTrain's runs: the smallest of them, a layer of
// 1024 cut eight ways on A100, takes at least 3.3 ms a layer and micro-batch where 3.7 were
// measured; nanotron at least 3.8 ms where 4.5 were measured. Neither was used.
//
// Wrong for: slower or faster processors than servers' of 2021 to 2024; Transformer Engine, whose
// modules do more in Python and less in operators.
#include "machine/host_times.hpp"

#include "experiment/derived.hpp"
#include "workload/model/model.hpp"

namespace pipewright {
namespace {

constexpr Time operator_time = microseconds(15);
constexpr Time repeated_launch = microseconds(9);
constexpr Time grouped_part = microseconds(8);
constexpr Time comparison = microseconds(300), comparison_of_rank = microseconds(260);

constexpr double compiled = 2.8, fsdp2 = 50;  // operators
constexpr double autocast_operators = (54.0 + 12) / (11 + 6);

/// Operators that a host runs to start one kernel of ours, and one collective.
struct OperatorCounts {
  double kernel, collective;
};

double operators_of_collective(const Experiment& e) {
  return has_fsdp2(e.framework) && e.parallel.zero == 3 ? fsdp2 : 3;
}

OperatorCounts operators_of(const Experiment& e) {
  if (e.framework == Framework::nanotron) return {193.0 / 28, 6};
  if (e.framework == Framework::jax) return {0.2, 0.2};
  if (e.model && e.model->recurrent) return {1, 3};
  const double collective = operators_of_collective(e);
  if (kernel_fusion(e) == KernelFusion::eager)
    return {e.autocast ? autocast_operators : 54.0 / 11, collective};
  if (is_torch_alone(e.framework) || e.framework == Framework::torchtitan)
    return {compiled, collective};
  return {134.0 / 32, collective};
}

/// Transformer Engine's grouped products are Megatron's.
bool has_grouped_parts(const Experiment& e) {
  return e.framework == Framework::megatron && !(e.model && e.model->recurrent);
}

Time operators(double count) { return seconds(count * in_seconds(operator_time)); }

}  // namespace

HostTimes host_times(const Experiment& e) {
  if (e.launches.kind == Launches::graph) return {};
  const OperatorCounts each = operators_of(e);
  const bool compares = collective_checks(e) == CollectiveChecks::detail;
  return {.launch = operators(each.kernel),
          .repeat = repeated_launch,
          .part = has_grouped_parts(e) ? grouped_part : Time{},
          .collective = operators(each.collective),
          .check = compares ? comparison : Time{},
          .check_rank = compares ? comparison_of_rank : Time{},
          .waits = e.launches.kind == Launches::blocking,
          .stops = e.parallel.pipeline > 1 && e.overlap.p2p.mode == SendMode::rendezvous,
          .captured_passes = e.launches.kind == Launches::passes};
}

}  // namespace pipewright
