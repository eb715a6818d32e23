// A bucket's reduction starts when the last of its gradients is there, beside the rest of the
// backward pass; it ends with a layer, though frameworks end it with a parameter.
// Sizes: max(40e6, 1e6 d) parameters on d replicas (Megatron-LM, megatron/core/distributed/
// distributed_data_parallel.py); 25 MiB (torch.nn.parallel.DistributedDataParallel, whose first
// bucket of 1 MiB is left out here).
#include "plan/buckets.hpp"

#include <algorithm>
#include <limits>

#include "workload/workload_options.hpp"

namespace pipewright {

namespace {

double trained_experts(const Layer& layer) {
  return layer.trained ? layer.trained_experts : layer.device_expert_parameters;
}

}  // namespace

LayerBytes bytes_on_way(const Layer& layer, double parameters, const GatheredBytes& weights) {
  const double one = has_matrices(layer.kind) ? weights.block : weights.other;
  const double narrow_experts = std::min(layer.narrow_parameters, layer.device_expert_parameters);
  const auto bytes = [&](double all, double narrow) {
    return whole_bytes(one * all - (one - weights.narrow) * narrow);
  };
  return {bytes(parameters, layer.narrow_parameters),
          bytes(layer.device_expert_parameters, narrow_experts)};
}

Buckets gradient_buckets(std::span<const Layer> stage, DType gradients, std::optional<Bytes> size) {
  Buckets buckets;
  buckets.of_layer.assign(stage.size(), 0);
  const std::vector<double> parameters = trained_parameters(stage);
  const double full = size ? static_cast<double>(size->count) : std::numeric_limits<double>::max();
  double bytes = 0, experts = 0;
  std::map<Axis, double> over_sides;
  int current = 0;
  const auto close = [&] {
    buckets.bytes.push_back(whole_bytes(bytes));
    buckets.experts.push_back(whole_bytes(experts));
    std::map<Axis, Bytes>& sides = buckets.over_sides.emplace_back();
    for (const auto& [axis, summed] : over_sides) sides[axis] = whole_bytes(summed);
    over_sides.clear();
    bytes = experts = 0;
    ++current;
  };
  for (size_t k = stage.size(); k-- > 0;) {
    buckets.of_layer[k] = current;
    bytes += parameters[k] * element_bytes(gradients);
    experts += trained_experts(stage[k]) * element_bytes(gradients);
    for (const SummedParameters& summed : stage[k].summed)
      over_sides[summed.axis] += summed.parameters * element_bytes(gradients);
    if (bytes > 0 && bytes >= full) close();
  }
  if (bytes > 0) close();
  // Layers without gradients that follow the last bucket.
  for (int& bucket : buckets.of_layer) bucket = std::max(0, std::min(bucket, current - 1));
  return buckets;
}

WeightUnits weight_units(std::span<const Layer> stage, DType weights, DType gradients) {
  const double bytes = element_bytes(weights);
  return weight_units(stage, {bytes, bytes, bytes}, gradients);
}

WeightUnits weight_units(std::span<const Layer> stage, const GatheredBytes& weights,
                         DType gradients) {
  WeightUnits units;
  const std::vector<double> held = layer_parameters(stage), trained = trained_parameters(stage);
  for (size_t k = 0; k < held.size(); ++k) {
    if (held[k] > 0) {
      const LayerBytes bytes = bytes_on_way(stage[k], held[k], weights);
      units.weights.push_back(bytes.all);
      units.gradients.push_back(whole_bytes(trained[k] * element_bytes(gradients)));
      units.experts.push_back(bytes.experts);
      units.expert_gradients.push_back(
          whole_bytes(trained_experts(stage[k]) * element_bytes(gradients)));
    }
    units.of_layer.push_back(std::max(0, static_cast<int>(units.weights.size()) - 1));
  }
  return units;
}

Bytes megatron_bucket(int64_t data, DType gradients) {
  const double parameters = std::max(40e6, 1e6 * static_cast<double>(data));
  return whole_bytes(parameters * element_bytes(gradients));
}

}  // namespace pipewright
