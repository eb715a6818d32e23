#include "network/fair_shares.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace pipewright::network {
namespace {

constexpr int weight_bits = 32;
constexpr int finest_bits = 76;
// Bits above the largest capacity, for what overloads a link while levels are in motion. Beyond
// them all levels are found anew. Rates of 10^15 still have 57 bits after the binary point.
constexpr int headroom_bits = 20;
constexpr Fixed largest = Fixed{1} << (127 - headroom_bits);  // no capacity is this large
constexpr Fixed danger = Fixed{1} << 125;

uint64_t load_of(double weight, int multiplicity) {
  ensure(weight >= 0x1p-20 && weight <= 0x1p20, "a weight within 2^-20 and 2^20");
  ensure(multiplicity > 0, "a flow stands for at least one");
  return static_cast<uint64_t>(std::llround(std::ldexp(weight, weight_bits))) *
         static_cast<uint64_t>(multiplicity);
}

int bits_above_point(std::span<const Bandwidth> capacities) {
  double largest = 1;
  for (const Bandwidth capacity : capacities)
    if (std::isfinite(capacity.bytes_per_s)) largest = std::max(largest, capacity.bytes_per_s);
  return std::ilogb(largest) + 1;
}

}  // namespace

FairShares::FairShares(std::span<const Bandwidth> capacities, double tolerance)
    : FairLevels(danger, tolerance / 2),
      bits_(std::min(finest_bits, 127 - headroom_bits - bits_above_point(capacities))),
      unit_(std::ldexp(1.0, weight_bits - bits_)) {
  for (const Bandwidth capacity : capacities) {
    ensure(capacity.bytes_per_s >= 0, "a link needs a capacity");
    const bool finite = std::isfinite(capacity.bytes_per_s);
    const double middle = (1 - tolerance / 2) * capacity.bytes_per_s;
    capacity_.push_back(finite ? static_cast<Fixed>(std::ldexp(middle, bits_)) : unlimited);
    // Also where infinite, so that the layer of the usual class has the number of its link.
    const uint32_t layer = add_layer(capacity_.back(), 0);
    top_.push_back(finite ? layer : none);
  }
}

double FairShares::held_weight(double weight) {
  return std::ldexp(static_cast<double>(load_of(weight, 1)), -weight_bits);
}

uint32_t FairShares::layer_of(uint32_t link, int priority) {
  uint32_t above = none, layer = top_[link];
  while (layer != none && layers_[layer].priority > priority) {
    above = layer;
    layer = layers_[layer].below;
  }
  const bool exists = layer != none && layers_[layer].priority == priority;
  return exists ? layer : add_class(link, above, layer, priority);
}

/// No flow of the new class is there yet, so all that those above it leave is free. Where a link
/// has several classes, all of them count exactly.
uint32_t FairShares::add_class(uint32_t link, uint32_t above, uint32_t below, int priority) {
  for (const uint32_t other : {above, below}) {
    if (other == none) continue;
    if (layers_[other].spare) count_exactly(other);
    layers_[other].alone = false;
  }
  const Fixed free = above == none ? capacity_[link] : gauges_[above].free;
  const uint32_t layer = add_layer(free, priority);
  layers_[layer].spare = layers_[layer].alone = false;
  layers_[layer].below = below;
  (above == none ? top_[link] : layers_[above].below) = layer;
  classes_ = true;
  watch(layer);
  return layer;
}

uint32_t FairShares::cap_layer(Fixed capacity, int priority) {
  if (free_caps_.empty()) return add_layer(capacity, priority);
  const uint32_t layer = free_caps_.back();
  free_caps_.pop_back();
  layers_[layer].priority = priority;
  gauges_[layer].free = capacity;
  return layer;
}

uint32_t FairShares::add_flow(size_t steps) {
  auto flow = static_cast<uint32_t>(flows_.size());
  if (free_flows_.empty()) {
    flows_.emplace_back();
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  FlowState& state = flows_[flow];
  if (state.count < steps) {
    state.first = static_cast<uint32_t>(route_.size());
    route_.resize(route_.size() + steps);
  }
  state.count = static_cast<uint32_t>(steps);
  return flow;
}

uint32_t FairShares::add(const Flow& flow) {
  ensure(flow.cap >= 0, "a cap is a rate");
  const uint64_t load = load_of(flow.weight, flow.multiplicity);
  steps_.clear();
  for (size_t k = 0; k < flow.links.size(); ++k) {
    if (top_[flow.links[k]] == none) continue;
    const bool even = flow.multiplicities.empty();
    steps_.push_back({even ? load : load_of(flow.weight, flow.multiplicities[k]),
                      layer_of(flow.links[k], flow.priority)});
  }
  // One instance stands for all: none gets more than the largest capacity.
  const double cap = std::ldexp(flow.cap, bits_);
  const bool capped = cap < to_double(largest);
  if (capped)
    steps_.push_back({load_of(flow.weight, 1), cap_layer(static_cast<Fixed>(cap), flow.priority)});
  if (steps_.empty()) return none;
  const uint32_t number = add_flow(steps_.size());
  flows_[number].capped = capped;
  for (uint32_t k = 0; k < steps_.size(); ++k) cross(number, steps_[k], k);
  place(number);
  if (overloaded_ && !out_of_range_) solve();
  return number;
}

void FairShares::cross(uint32_t flow, const Step& step, uint32_t place_in_route) {
  Layer& layer = layers_[step.layer];
  std::vector<Crossing>& crossing = groups_[step.layer].crossing;
  ensure(crossing.empty() || crossing.back().flow != flow, "a link is on a route only once");
  ensure(layer.crossing < (uint64_t{1} << 62), "too much weight on one link");
  layer.crossing += step.load;
  const uint32_t own = flows_[flow].first + place_in_route;
  route_[own] = {step.load, step.layer, static_cast<uint32_t>(crossing.size())};
  crossing.push_back({step.load, flow, own});
}

void FairShares::leave(const Step& step) {
  std::vector<Crossing>& crossing = groups_[step.layer].crossing;
  crossing[step.place] = crossing.back();
  route_[crossing[step.place].step].place = step.place;
  crossing.pop_back();
  Layer& layer = layers_[step.layer];
  layer.crossing -= step.load;
  // It may have become one that need not count exactly.
  if (layer.load == 0 && !layer.spare && !layer.queued) enqueue(step.layer);
}

/// Starts a flow at the lowest level on its route; where none of its links is full, it waits for
/// the first that gets a level.
void FairShares::place(uint32_t flow) {
  const FlowState& state = flows_[flow];
  moved_.push_back(flow);
  const uint32_t lowest = lowest_layer(state, none);
  if (layers_[lowest].load > 0) {
    hold(lowest, flow);
    deposit(state);
    const double height = to_double(layers_[lowest].level);
    for (const Step& step : route(state))
      if (step.layer != lowest)
        gauges_[step.layer].highest = std::max(gauges_[step.layer].highest, height);
    return;
  }
  for (const Step& step : route(state)) {
    groups_[step.layer].pending += step.load;
    if (layers_[step.layer].queued) continue;
    layers_[step.layer].queued = true;
    watch(step.layer);
    fresh_.push_back(step.layer);
  }
}

void FairShares::remove(uint32_t flow) {
  FlowState& state = flows_[flow];
  ensure(state.bottleneck != none, "a flow ends only after it has had a rate");
  withdraw(state);
  release(flow);
  for (const Step step : route(state)) leave(step);
  if (state.capped) free_caps_.push_back(route(state).back().layer);
  state.bottleneck = none;
  free_flows_.push_back(flow);
}

void FairShares::forget_changes() {
  for (const uint32_t layer : changed_) layers_[layer].changed = layers_[layer].regrouped = false;
  changed_.clear();
  moved_.clear();
}

}  // namespace pipewright::network
