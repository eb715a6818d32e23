// Keeps which layer holds which flow, and how the other layers on its route count it: at the level
// of its holder, or, with capacity to spare, at the ceiling.
#include "network/fair_groups.hpp"

#include <algorithm>

namespace pipewright::network {
namespace {

// A ceiling is 1/128 above the level that it was set for, and renewed before that has fallen 1/32
// below: wider, and fewer links can count at ceilings; narrower, and they hear of changes more
// often.
constexpr int ceiling_shift = 7, renewal_shift = 5;

template <class Neighbours>
auto find_layer(Neighbours& all, uint32_t layer) {
  return std::find_if(all.begin(), all.end(),
                      [&](const auto& neighbour) { return neighbour.layer == layer; });
}

template <class T>
void erase_unordered(std::vector<T>& all, typename std::vector<T>::iterator place) {
  *place = all.back();
  all.pop_back();
}

}  // namespace

void FairGroups::mark_changed(uint32_t layer) {
  if (layers_[layer].changed) return;
  layers_[layer].changed = true;
  changed_.push_back(layer);
}

void FairGroups::join(uint32_t holder, uint32_t layer, uint64_t load) {
  Group& group = groups_[holder];
  std::vector<Neighbour>& all = layers_[layer].spare ? group.spare : group.exact;
  const auto known = find_layer(all, layer);
  if (known == all.end())
    all.push_back({load, layer});
  else
    known->load += load;
}

void FairGroups::part(uint32_t holder, uint32_t layer, uint64_t load) {
  Group& group = groups_[holder];
  std::vector<Neighbour>& all = layers_[layer].spare ? group.spare : group.exact;
  const auto known = find_layer(all, layer);
  known->load -= load;
  if (known->load == 0) erase_unordered(all, known);
}

void FairGroups::hold(uint32_t layer, uint32_t flow) {
  FlowState& state = flows_[flow];
  std::vector<uint32_t>& held = groups_[layer].held;
  state.bottleneck = layer;
  state.place = static_cast<uint32_t>(held.size());
  held.push_back(flow);
  layers_[layer].regrouped = true;
  mark_changed(layer);
  for (const Step& step : route(state)) {
    if (step.layer == layer)
      layers_[layer].load += step.load;
    else
      join(layer, step.layer, step.load);
  }
  watch(layer);
}

void FairGroups::release(uint32_t flow) {
  const FlowState& state = flows_[flow];
  const uint32_t holder = state.bottleneck;
  Layer& layer = layers_[holder];
  std::vector<uint32_t>& held = groups_[holder].held;
  flows_[held.back()].place = state.place;
  erase_unordered(held, held.begin() + state.place);
  layer.regrouped = true;
  mark_changed(holder);
  for (const Step& step : route(state)) {
    if (step.layer == holder)
      layer.load -= step.load;
    else
      part(holder, step.layer, step.load);
  }
  if (layer.load > 0) return;
  layer.level = unlimited;
  layer.ceiling = 0;
  gauges_[holder].highest = INFINITY;
  if (!layer.queued) enqueue(holder);
}

/// The level at which the layer counts a flow.
Fixed FairGroups::counted(const FlowState& flow, uint32_t layer) const {
  const Layer& holder = layers_[flow.bottleneck];
  return layers_[layer].spare ? holder.ceiling : holder.level;
}

void FairGroups::deposit(const FlowState& flow) {
  for (const Step& step : route(flow))
    for (uint32_t layer = step.layer; layer != none; layer = layers_[layer].below)
      use(layer, counted(flow, layer), step.load);
}

void FairGroups::withdraw(const FlowState& flow) {
  for (const Step& step : route(flow))
    for (uint32_t layer = step.layer; layer != none; layer = layers_[layer].below)
      use(layer, -counted(flow, layer), step.load);
}

void FairGroups::set_level(uint32_t layer, Fixed level) {
  Layer& l = layers_[layer];
  l.level = level;
  mark_changed(layer);
  if (level <= l.ceiling && level >= l.ceiling - (l.ceiling >> renewal_shift)) return;
  const Fixed ceiling = level + (level >> ceiling_shift), step = ceiling - l.ceiling;
  l.ceiling = ceiling;
  l.regrouped = true;
  for (const Neighbour& near : groups_[layer].spare) use(near.layer, step, near.load);
}

/// Returns how much less the layer has free when it counts its flows at their ceilings.
Fixed FairGroups::margin(uint32_t layer) const {
  Fixed sum = 0;
  for (const auto& [load, flow, step] : groups_[layer].crossing) {
    const FlowState& state = flows_[flow];
    if (state.bottleneck == none) continue;
    const Layer& holder = layers_[state.bottleneck];
    sum += times(holder.ceiling - holder.level, load);
  }
  return sum;
}

void FairGroups::count_exactly(uint32_t layer) {
  gauges_[layer].free += margin(layer);
  switch_lists(layer);
}

/// Counts flows at their ceilings on this layer, unless that would leave so little that it might
/// not last.
void FairGroups::try_to_spare(uint32_t layer) {
  Gauge& gauge = gauges_[layer];
  const Fixed free = gauge.free - margin(layer);
  if (free < gauge.free / 8) return;
  switch_lists(layer);
  gauge.free = free;
}

void FairGroups::switch_lists(uint32_t layer) {
  bool& spare = layers_[layer].spare;
  for (const auto& [load, flow, step] : groups_[layer].crossing) {
    if (flows_[flow].bottleneck == none) continue;
    Group& holder = groups_[flows_[flow].bottleneck];
    std::vector<Neighbour>& from = spare ? holder.spare : holder.exact;
    const auto known = find_layer(from, layer);
    if (known == from.end()) continue;  // went with another flow of the same holder
    (spare ? holder.exact : holder.spare).push_back(*known);
    erase_unordered(from, known);
  }
  spare = !spare;
}

}  // namespace pipewright::network
