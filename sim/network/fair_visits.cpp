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
  queue_.push({estimate(layer), layers_[layer].priority, layer});
}

/// Before all others of its class: by its estimate only once that class is at hand.
void FairVisits::enqueue_first(uint32_t layer) {
  layers_[layer].queued = true;
  watch(layer);
  queue_.push({-1, layers_[layer].priority, layer});
}

/// The level that the layer would get if nothing else changed. Only the order depends on it.
double FairVisits::estimate(uint32_t layer) const {
  const Layer& l = layers_[layer];
  const double free = to_double(gauges_[layer].free);
  if (l.load > 0) return to_double(l.level) + free / static_cast<double>(l.load);
  const uint64_t pending = groups_[layer].pending;
  return pending > 0 ? free / static_cast<double>(pending) : 0;
}

uint32_t FairVisits::take_visit() {
  while (!queue_.empty()) {
    Visit next = queue_.top();
    queue_.pop();
    if (!layers_[next.layer].queued) continue;
    const double before = next.level;
    next.level = estimate(next.layer);
    if (next.level > before && !queue_.empty() && next > queue_.top())
      queue_.push(next);
    else
      return next.layer;
  }
  return none;
}

void FairVisits::forget_visits() {
  queue_ = {};
  for (Layer& layer : layers_) layer.queued = false;
}

}  // namespace pipewright::network
