// A rank's memory, and when its gradients are there. PyTorch's optimizers give gradients up after
// each step (zero_grad sets them to None since release 2.0), so that a step of one micro-batch
// makes them layer by layer while activations go. Its peak is the largest of
//   backward  what layers up to one keep, its passing bytes, and gradients from it on
//   step      all gradients, and the square roots of the second moments that foreach makes of all
//             weights at once (torch/optim/adam.py, _multi_tensor_adam; rmsprop.py)
// beside weights and the optimizer's state. What the step holds beyond the activations that a
// result tells stands among buffers. With several micro-batches gradients are there from the first
// backward pass on, and the buckets of replicas that reduce whole gradients hold them all the time.
#include "plan/rank_memory.hpp"

#include <algorithm>

#include "plan/memory.hpp"
#include "plan/outer_steps.hpp"

namespace pipewright {
namespace {

bool drops_gradients(const ModelOnGrid& job) {
  const Experiment& e = job.experiment;
  const bool replicates = e.parallel.data * e.parallel.context > 1 && e.parallel.zero < 3;
  return e.given_framework == Framework::torch && job.micro_batches == 1 && !replicates &&
         !e.offload.any() && !e.outer;
}

/// The most that activations and gradients take together in a backward pass.
double backward_peak(const std::vector<Layer>& layers, const std::vector<double>& gradients) {
  double kept = 0, made = 0, most = 0;
  for (const Layer& layer : layers) kept += static_cast<double>(layer.stash.count);
  for (size_t k = layers.size(); k-- > 0;) {
    made += gradients[k];
    most = std::max(most, kept + static_cast<double>(layers[k].passing.transient.count) + made);
    kept -= static_cast<double>(layers[k].stash.count);
  }
  return most;
}

/// The bytes of the roots that a step by foreach makes, for each of `parameters`.
double root_bytes(const StateOptions& options) {
  const bool roots = options.optimizer == Optimizer::adam ||
                     options.optimizer == Optimizer::adamw ||
                     options.optimizer == Optimizer::rmsprop;
  return roots && options.update == UpdateKernels::foreach ? bytes_of(options.moments) : 0;
}

/// What the result adds to it: all that layers keep, and the most that passes beside.
double told_activations(const std::vector<Layer>& layers) {
  Bytes kept, passing;
  for (const Layer& layer : layers) {
    kept += layer.stash;
    passing = std::max(passing, layer.passing.transient);
  }
  return static_cast<double>((kept + passing).count);
}

void give_up_gradients(const std::vector<Layer>& layers, const StateOptions& options,
                       MemoryUse& use) {
  const auto all = static_cast<double>(use.gradients.count);
  const ParameterCount trained = trained_of(layers);
  const double parameters = std::max(trained.all(), 1.0);
  std::vector<double> gradients = trained_parameters(layers);
  for (double& of_layer : gradients) of_layer *= all / parameters;
  const double roots = root_bytes(options) * trained.cut(options, options.zero >= 1).all();
  const double peak = std::max(backward_peak(layers, gradients), all + roots);
  const double beside = std::max(0.0, peak - told_activations(layers));
  use.gradients = whole_bytes(std::min(beside, all));
  use.buffers += whole_bytes(std::max(0.0, beside - all));
}

}  // namespace

MemoryUse rank_memory(const StagedModel& model, int rank) {
  std::vector<Layer> layers;
  for (int k = 0; k < model.stages(); ++k) {
    const std::span<const Layer> stage = model.layers_of(k);
    if (model.placement.holds(rank, k)) layers.insert(layers.end(), stage.begin(), stage.end());
  }
  const std::vector<int>& held = model.weight_versions;
  const int versions = held.empty() ? 1 : held[static_cast<size_t>(rank)];
  const StateOptions state = model.job.replicas_on(rank).state(versions);
  MemoryUse use = static_memory(layers, state);
  if (drops_gradients(model.job)) give_up_gradients(layers, state, use);
  add_outer_state(model, rank, use);
  return use;
}

bool weights_fit_on_chip(const StagedModel& model, int stage) {
  const ModelOnGrid& job = model.job;
  if (job.experiment.offload.weights || model.mesh_of(stage).shard > 0) return false;
  for (int rank = 0; rank < job.grid.pipeline(); ++rank) {
    if (!model.placement.holds(rank, stage)) continue;
    const Bytes chip = job.machine.on_chip(job.grid.mesh(rank).devices);
    if (chip == Bytes{}) return false;
    const MemoryUse held = rank_memory(model, rank);
    if (held.weights + held.weight_versions > chip) return false;
  }
  return true;
}

}  // namespace pipewright
