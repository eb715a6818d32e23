#include "network/fair_visits.hpp"

namespace pipewright::network {

/// A layer that holds flows follows every change, another only what overloads it. One that is
/// queued knows already, unless things get out of hand.
void FairVisits::watch(uint32_t layer) {
  const Layer& l = layers_[layer];
  gauges_[layer].alarm = l.queued ? upper(-danger_) : l.load > 0 ? INT64_MAX : 0;
}

void FairVisits::alert(uint32_t layer) {
  if (!layers_[layer].queued) return enqueue(layer);
  enqueue_first(layer);
  overloaded_ = true;
}

void FairVisits::enqueue(uint32_t layer) {
  layers_[layer].queued = true;
  watch(layer);
  visits_[layers_[layer].priority].others.push(layer, level_of(layer));
}

void FairVisits::enqueue_first(uint32_t layer) {
  layers_[layer].queued = true;
  watch(layer);
  visits_[layers_[layer].priority].first.push_back(layer);
}

/// The level that the layer has, or would get if nothing else changed. Only the order depends on
/// it: changes are small against how far levels are apart.
double FairVisits::level_of(uint32_t layer) const {
  const Layer& l = layers_[layer];
  if (l.load > 0) return to_double(l.level);
  const uint64_t pending = groups_[layer].pending;
  return pending > 0 ? to_double(gauges_[layer].free) / static_cast<double>(pending) : 0;
}

uint32_t FairVisits::take_visit() {
  for (auto& [priority, visits] : visits_) {
    while (!visits.first.empty() || !visits.others.empty()) {
      const bool is_first = !visits.first.empty();
      const uint32_t layer = is_first ? visits.first.back() : visits.others.pop();
      if (is_first) visits.first.pop_back();
      if (layers_[layer].queued) return layer;
    }
  }
  return none;
}

void FairVisits::forget_visits() {
  visits_.clear();
  for (Layer& layer : layers_) layer.queued = false;
}

}  // namespace pipewright::network
