// Transformers as text, and sums over their layers, for tests.
#pragma once

#include <string>
#include <vector>

#include "workload/transformer/transformer.hpp"

namespace pipewright::test {

inline TransformerShape transformer(const std::string& yaml) {
  return read_transformer(config::parse(yaml, "model.yaml"));
}

/// A GPT of Megatron's kind: all options at their defaults.
inline TransformerShape gpt(int64_t layers, int64_t hidden, int64_t heads, int64_t vocabulary) {
  return transformer("{layers: " + std::to_string(layers) + ", hidden: " + std::to_string(hidden) +
                     ", heads: " + std::to_string(heads) +
                     ", vocabulary: " + std::to_string(vocabulary) + "}");
}

inline std::vector<Layer> layers_of(const TransformerShape& shape, const WorkloadOptions& options,
                                    int64_t positions = 0) {
  return transformer_layers(shape, options, positions, {});
}

inline double parameters(const std::vector<Layer>& layers) {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.parameters;
  return sum;
}

inline double device_parameters(const std::vector<Layer>& layers) {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.device_parameters;
  return sum;
}

inline double model_flops(const std::vector<Layer>& layers) {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.model_flops;
  return sum;
}

inline double flops(const Segments& segments) {
  double sum = 0;
  for (const Segment& segment : segments)
    for (const Work& work : segment.kernels) sum += work.flops;
  return sum;
}

inline double flops(const std::vector<Layer>& layers, Segments Layer::*pass) {
  double sum = 0;
  for (const Layer& layer : layers) sum += flops(layer.*pass);
  return sum;
}

inline std::vector<CollectiveWork> collectives(const Segments& segments) {
  std::vector<CollectiveWork> found;
  for (const Segment& segment : segments)
    if (segment.collective) found.push_back(*segment.collective);
  return found;
}

inline size_t kernels(const Segments& segments) {
  size_t sum = 0;
  for (const Segment& segment : segments) sum += segment.kernels.size();
  return sum;
}

}  // namespace pipewright::test
