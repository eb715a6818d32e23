#include "network/fair_layers.hpp"

namespace pipewright::network {

uint32_t FairLayers::add_layer(Fixed capacity, int priority) {
  const auto layer = static_cast<uint32_t>(layers_.size());
  gauges_.push_back({.free = capacity, .highest = INFINITY});
  layers_.push_back({.priority = priority});
  groups_.emplace_back();
  return layer;
}

uint32_t FairLayers::lowest_layer(const FlowState& flow, uint32_t except) const {
  uint32_t lowest = none;
  for (const Step& step : route(flow)) {
    if (step.layer == except) continue;
    if (lowest == none || layers_[step.layer].level < layers_[lowest].level) lowest = step.layer;
  }
  return lowest;
}

}  // namespace pipewright::network
