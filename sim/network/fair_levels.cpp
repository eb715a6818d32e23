// Levels, layer by layer.
//
// Why this ends: call the lowest level that a layer m takes again and again L. All flows on m that
// are not constant have at least L, and at L it holds those above, so that what it has free is less
// than a unit for each unit of load on it. So small a rest is no reason to rise, and m stays at L.
#include "network/fair_levels.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace pipewright::network {

void FairLevels::solve() {
  visit_all();
  if (out_of_range_) {
    start_over();
    visit_all();
    ensure(!out_of_range_, "levels that are found from below overload nothing");
  }
  overloaded_ = false;
}

void FairLevels::visit_all() {
  for (const uint32_t layer : fresh_) {
    if (layers_[layer].spare) count_exactly(layer);
    enqueue(layer);
  }
  fresh_.clear();
  for (uint32_t layer = none; !out_of_range_ && (layer = take_visit()) != none;) visit(layer);
}

/// Has all flows wait for a level, as if they were new. Then levels are found from the lowest to
/// the highest, and no flow ever has more than it will get.
void FairLevels::start_over() {
  for (uint32_t flow = 0; flow < flows_.size(); ++flow) {
    FlowState& state = flows_[flow];
    if (state.bottleneck == none) continue;
    withdraw(state);
    release(flow);
    state.bottleneck = none;
    moved_.push_back(flow);
    for (const Step& step : route(state)) groups_[step.layer].pending += step.load;
  }
  forget_visits();
  fresh_.clear();
  for (uint32_t layer = 0; layer < layers_.size(); ++layer) {
    watch(layer);
    if (groups_[layer].pending == 0) continue;
    if (layers_[layer].spare) count_exactly(layer);
    enqueue_first(layer);
  }
  out_of_range_ = false;
}

void FairLevels::visit(uint32_t layer) {
  Layer& l = layers_[layer];
  l.queued = false;
  watch(layer);
  if (l.load == 0) return visit_idle(layer);
  const Gauge& gauge = gauges_[layer];
  const bool fits = (gauge.free >= 0 && gauge.free < l.crossing) || is_tolerated(layer);
  const Fixed level =
      fits ? l.level : std::max(Fixed{0}, l.level + divide_down(gauge.free, l.load));
  if (to_double(level) <= gauge.highest)
    fill(layer, level);
  else if (level != l.level)
    shift(layer, level);
}

/// What the layer has free, or lacks, is too little for another level.
bool FairLevels::is_tolerated(uint32_t layer) const {
  if (tolerance_ == 0) return false;
  const double given = to_double(layers_[layer].level) * static_cast<double>(layers_[layer].load);
  return std::abs(to_double(gauges_[layer].free)) <= tolerance_ * given;
}

void FairLevels::visit_idle(uint32_t layer) {
  const auto wanted = [&] { return gauges_[layer].free < 0 || groups_[layer].pending > 0; };
  if (wanted() && layers_[layer].spare) count_exactly(layer);
  if (wanted())
    fill(layer, -1);
  else if (layers_[layer].alone && !layers_[layer].spare)
    try_to_spare(layer);
}

Fixed FairLevels::affordable(uint32_t layer, Fixed shared, uint64_t load) const {
  const Layer& l = layers_[layer];
  if (l.load > 0) {
    Fixed rest = shared;
    if (!take(rest, l.level, load) && rest >= 0 && rest < l.crossing) return l.level;
  }
  return std::max(Fixed{0}, divide_down(shared, load));
}

// ---- the flows that a layer holds get another level

void FairLevels::shift(uint32_t layer, Fixed level) {
  const Fixed step = level - layers_[layer].level;
  set_level(layer, level);
  if (take(gauges_[layer].free, step, layers_[layer].load)) out_of_range_ = true;
  const double height = to_double(level);
  for (const Neighbour& near : groups_[layer].exact) {
    use(near.layer, step, near.load);
    Gauge& other = gauges_[near.layer];
    if (height < other.highest) continue;
    other.highest = height;
  }
  if (classes_) shift_lower_classes(layer, step);
}

void FairLevels::shift_lower_classes(uint32_t layer, Fixed step) {
  for (uint32_t lower = layers_[layer].below; lower != none; lower = layers_[lower].below)
    use(lower, step, layers_[layer].load);
  for (const Neighbour& near : groups_[layer].exact)
    for (uint32_t lower = layers_[near.layer].below; lower != none; lower = layers_[lower].below)
      use(lower, step, near.load);
}

// ---- a layer takes flows that others hold, or nobody yet

/// Holds on the layer the flows that are above the level which it has with them. None of them is at
/// or below `at_least`.
void FairLevels::fill(uint32_t layer, Fixed at_least) {
  const Fixed level = contend(layer, at_least);
  const Layer& l = layers_[layer];
  if (l.load > 0 && level != l.level) shift(layer, level);
  if (contenders_.empty()) return;
  if (l.load == 0) gauges_[layer].highest = to_double(level);
  set_level(layer, level);
  for (const Contender& contender : contenders_) give(contender.flow, layer);
}

/// Newton's method from below: the level as if the layer held all contenders that are left; those
/// who do not need it leave; and again.
Fixed FairLevels::contend(uint32_t layer, Fixed at_least) {
  uint64_t load = layers_[layer].load;
  Fixed shared = gauges_[layer].free + (load > 0 ? times(layers_[layer].level, load) : 0);
  Fixed highest = 0, level = 0;
  contenders_.clear();
  for (const auto& [own_load, flow, step] : groups_[layer].crossing) {
    const FlowState& state = flows_[flow];
    if (state.bottleneck == layer) continue;
    const Fixed limit = state.bottleneck == none ? unlimited : layers_[state.bottleneck].level;
    if (limit <= at_least) {
      highest = std::max(highest, limit);
      continue;
    }
    contenders_.push_back({limit, own_load, flow});
    load += own_load;
    if (limit != unlimited) shared += times(limit, own_load);
  }
  for (size_t before = SIZE_MAX; load > 0 && contenders_.size() < before;) {
    before = contenders_.size();
    level = affordable(layer, shared, load);
    std::erase_if(contenders_, [&](const Contender& contender) {
      if (contender.limit > level) return false;
      load -= contender.load;
      shared -= times(contender.limit, contender.load);
      highest = std::max(highest, contender.limit);
      return true;
    });
  }
  gauges_[layer].highest = to_double(highest);
  return level;
}

void FairLevels::give(uint32_t flow, uint32_t layer) {
  const FlowState& state = flows_[flow];
  const uint32_t from = state.bottleneck;
  if (from == none) {
    for (const Step& step : route(state)) groups_[step.layer].pending -= step.load;
  } else {
    withdraw(state);
    release(flow);
    const double height = to_double(layers_[layer].level);
    if (layers_[from].load > 0) gauges_[from].highest = std::max(gauges_[from].highest, height);
  }
  hold(layer, flow);
  deposit(state);
  moved_.push_back(flow);
}

}  // namespace pipewright::network
