// With P parameters of a device whose state is not elsewhere, g bytes a gradient and w a weight:
//
//   norm      reads g P
//   update    fused: reads gradients, master weights and moments once, writes master weights,
//             moments and weights. By operators, PyTorch's Adam is two for each moment, root,
//             quotient, sum and the step: 72 + 2 g bytes; AdamW's decay is one more, 8; momentum is
//             three, 28 + g; RMSprop five, 40 + 2 g; SGD one, 8 + g. Weights in 16 bits are copied
//             from the master's, 4 + w. LAMB and Adafactor are not in PyTorch and run fused.
//   clipping  PyTorch multiplies gradients by what their norm asks for, also by one: 2 g.
//   Megatron's
//             and DeepSpeed's kernels have the factor in them, or look first.
//   zeroing   writes g for each gradient that a device holds, cut or not. nanotron takes the norm
//   of
//             all of them, and multiplies all (optim/clip_grads.py).
//
// The update of a state that is in bf16 throughout moves half of its bytes and copies no weights.
//
// `update: loop` starts an operator for each tensor of weights, in Python; `foreach` for up to
// 320 blocks of 65,536 numbers of them.
// Source: PyTorch, torch/optim/adam.py (_single_tensor_adam, _multi_tensor_adam), sgd.py,
// rmsprop.py, torch/nn/utils/clip_grad.py, aten/src/ATen/native/cuda/MultiTensorApply.cuh;
// huggingface/nanotron 67c5ebb6.
// Left out: biases inside LSTM layers as tensors of their own; operands that stay in cache.
#include "plan/optimizer_step.hpp"

#include <algorithm>
#include <cmath>

#include "plan/muon.hpp"
#include "plan/preconditioners.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

Work streamed(double read, double written) {
  return {.kernel = Kernel::optimizer,
          .dtype = DType::fp32,
          .read = whole_bytes(read),
          .written = whole_bytes(written)};
}

namespace {

/// An optimizer as PyTorch's operators on a parameter.
struct ByOperators {
  int count = 0;         ///< of operators; 0: there is no such form
  double bytes = 0;      ///< of state, read and written
  double gradients = 0;  ///< how often the gradient is read
};

ByOperators by_operators(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::adam:
      return {8, 72, 2};
    case Optimizer::adamw:
      return {9, 80, 2};
    case Optimizer::momentum:
      return {3, 28, 1};
    case Optimizer::rmsprop:
      return {5, 40, 2};
    case Optimizer::sgd:
      return {1, 8, 1};
    case Optimizer::lamb:
    case Optimizer::adafactor:
    case Optimizer::muon:
    case Optimizer::shampoo:
    case Optimizer::soap:
      break;
  }
  return {};
}

/// Tensors of weights: what a kernel makes a gradient for, and the vectors of norms.
int64_t tensors_of(const Layer& layer) {
  int64_t tensors = 0;
  for (const Segment& segment : layer.weight_gradient)
    for (const Work& work : segment.kernels) tensors += work.kernels();
  for (const Segment& segment : layer.forward)
    for (const Work& work : segment.kernels) tensors += work.kernel == Kernel::norm ? 1 : 0;
  return tensors;
}

int64_t launches_of_an_operator(std::span<const Layer> stage, const StateOptions& options,
                                double count) {
  if (options.update == UpdateKernels::foreach)
    return std::max<int64_t>(1, std::llround(std::ceil(count / (320.0 * 65536))));
  int64_t tensors = 0;
  for (const Layer& layer : stage) tensors += tensors_of(layer);
  return std::max<int64_t>(1, tensors);
}

/// `narrow`: of `count` parameters, those that are stored in a format of their own.
Work fused_update(const StateOptions& options, double count, double narrow) {
  const double gradients = element_bytes(options.gradients) * count;
  const double weights =
      weight_bytes(options) * count - (weight_bytes(options) - narrow_bytes(options)) * narrow;
  const double state = optimizer_bytes(options) * count;
  // Without a whole master copy the weights are read: they are the master, or a part of it.
  const bool whole = master_bytes(options) >= 4;
  return streamed(gradients + state + (whole ? 0 : weights), state + weights);
}

/// Half of what operators on the state move is written, about.
Work update_by_operators(std::span<const Layer> stage, const StateOptions& options, double count) {
  const ByOperators form = by_operators(options.optimizer);
  const double master = master_bytes(options), weights = weight_bytes(options);
  const double copied = master > 0 ? 4 + weights : 0;
  const double state = form.bytes * bytes_of(options.moments) / 4;
  const double moved = state + form.gradients * element_bytes(options.gradients) + copied;
  Work work = streamed(moved / 2 * count, moved / 2 * count);
  work.shape[0] =
      (form.count + (master > 0 ? 1 : 0)) * launches_of_an_operator(stage, options, count);
  work.in_turn = true;
  return work;
}

/// Weights that are trained and stored in a format of their own: adapters are not.
double trained_narrow(std::span<const Layer> stage, const StateOptions& options) {
  double narrow = 0;
  for (const Layer& layer : stage)
    if (!layer.trained) narrow += narrow_of({&layer, 1}).cut(options, options.zero >= 1).all();
  return narrow;
}

/// Tells whether operators can update a state in these formats. Weights, moments and master copies
/// are of one: fp32 throughout but for a copy of the weights, or the weights' own.
bool is_of_one_format(const StateOptions& options) {
  if (options.moments == Moments::fp32) return options.master_weights == MasterWeights::fp32;
  return options.moments == Moments::bf16 && options.master_weights == MasterWeights::none &&
         weight_bytes(options) == 2;
}

bool multiplies_gradients(Framework framework) {
  return is_torch_alone(framework) || framework == Framework::torchtitan ||
         framework == Framework::nanotron;
}

}  // namespace

std::vector<Work> optimizer_step(std::span<const Layer> stage, const StateOptions& options) {
  const ParameterCount all = trained_of(stage);
  const double count = all.cut(options, options.zero >= 1).all();
  const double held = all.cut(options, options.zero >= 2 && !options.whole_gradients).all();
  const double clipped = options.framework == Framework::nanotron ? held : count;
  const double gradient = element_bytes(options.gradients);
  const bool fused = options.update == UpdateKernels::fused || options.optimizer_on_host ||
                     !is_of_one_format(options) || by_operators(options.optimizer).count == 0;
  std::vector<Work> step{streamed(gradient * clipped, 4),
                         fused ? fused_update(options, count, trained_narrow(stage, options))
                               : update_by_operators(stage, options, count)};
  if (options.optimizer == Optimizer::muon)
    for (const Work& work : orthogonalisation(stage, options)) step.push_back(work);
  for (const Work& work : preconditioning(stage, options)) step.push_back(work);
  if (multiplies_gradients(options.framework))
    step.push_back(streamed(gradient * clipped, gradient * clipped));
  step.push_back(streamed(0, gradient * held));
  return step;
}

}  // namespace pipewright
