#include "diagnose/against_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace pipewright::diagnose {

namespace {

bool is_block(const LayerTime& layer) { return layer.name.starts_with("block "); }

/// Adds what is predicted of a layer.
void add(const LayerTime& predicted, LayerKernelTime& layer) {
  layer.predicted_forward_s = layer.predicted_forward_s.value_or(0) + predicted.forward_s;
  layer.predicted_backward_s = layer.predicted_backward_s.value_or(0) + predicted.backward_s;
}

/// One row for all layers, where the trace shows another number of them than is predicted: two
/// blocks may repeat together, or one kernel may stand in for several.
void join_layers(std::vector<LayerKernelTime>& layers) {
  LayerKernelTime all{.name = "all layers"};
  for (size_t i = 1; i + 1 < layers.size(); ++i) {
    all.forward_s += layers[i].forward_s;
    all.backward_s += layers[i].backward_s;
  }
  layers = {layers.front(), all, layers.back()};
}

/// The optimizer is of no pass.
void hold_layers_against(const std::vector<LayerTime>& predicted,
                         std::vector<LayerKernelTime>& layers) {
  const auto blocks = static_cast<size_t>(std::ranges::count_if(predicted, is_block));
  if (layers.empty() || blocks == 0) return;
  if (blocks + 2 != layers.size()) join_layers(layers);
  size_t block = 0;
  for (const LayerTime& layer : predicted) {
    if (layer.name == "optimizer") continue;
    if (is_block(layer))
      add(layer, layers[std::min(++block, layers.size() - 2)]);
    else
      add(layer, block == 0 ? layers.front() : layers.back());
  }
}

}  // namespace

void hold_against(const Metrics& predicted, Diagnosis& diagnosis) {
  diagnosis.predicted = {in_seconds(predicted.iteration), predicted.breakdown};
  hold_layers_against(predicted.detail.layers, diagnosis.layers);
  if (diagnosis.kernels.empty()) return;
  std::map<std::string, double> times;
  for (const KernelTime& kernel : predicted.detail.kernels) times[kernel.kernel] += kernel.time_s;
  for (KernelKindTime& measured : diagnosis.kernels) {
    const auto found = times.find(measured.kind);
    if (found == times.end()) continue;
    measured.predicted_s = found->second;
    times.erase(found);
  }
  // What is predicted and was not seen: or seen under another name.
  for (const auto& [kind, seconds] : times) diagnosis.kernels.push_back({kind, 0, seconds});
  std::ranges::stable_sort(diagnosis.kernels, std::greater{}, [](const KernelKindTime& kernel) {
    return std::abs(kernel.measured_s - kernel.predicted_s);
  });
}

std::vector<std::string> other_degrees(const FoundParallelism& found,
                                       const FoundParallelism& wanted) {
  std::vector<std::string> all;
  const auto compare = [&](const char* name, int in_trace, int in_experiment) {
    if ((in_trace == 1 && !found.whole) || in_trace == in_experiment) return;
    all.push_back(
        fmt::format("the trace shows {} {}, the experiment has {}", name, in_trace, in_experiment));
  };
  compare("pipeline", found.pipeline, wanted.pipeline);
  compare("tensor", found.tensor, wanted.tensor);
  compare("context", found.context, wanted.context);
  compare("expert", found.expert, wanted.expert);
  // Some of the data ranks may have been traced.
  if (found.whole || found.data > wanted.data) compare("data", found.data, wanted.data);
  return all;
}

}  // namespace pipewright::diagnose
