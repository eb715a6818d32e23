// Max-min fair rates of flows over links, kept up to date as flows come and go.
//
//   rate(f) = weight(f) · min over links m of f of level(m). The level of m is the L that solves
//     sum over flows f on m of load(f, m) · min(L, level of the lowest other link of f) =
//     capacity(m)
//   and unlimited where no L does, m then having capacity to spare. load = weight · multiplicity.
//   For a class of priority, capacity(m) is what higher classes leave of it.
//
// Levels that fit together are unique (Bertsekas, Gallager: Data Networks, 6.5.2), so it does not
// matter how they are reached. A link where something has changed gets its level anew, then those
// of its flows' other links that this concerns, in ascending order of level, until no level changes
// any more. A level does not depend on higher ones: hardly a link is visited twice, and a change
// stays above the level where it happens.
//
// Most links have capacity to spare and need not know rates exactly. They count every flow at its
// bottleneck's ceiling, a little above the level, and hear of a change only when a level passes its
// ceiling. This changes no result.
//
// Rates are fixed-point, so updates are exact. Weights are kept to 2^-32.
#pragma once

#include <queue>
#include <span>
#include <vector>

#include "network/fixed_point.hpp"
#include "network/sharing.hpp"

namespace pipewright::network {

inline constexpr uint32_t none = UINT32_MAX;

class FairShares {
 public:
  /// Takes the capacities of links 0, 1, ...; infinite where a link limits nobody.
  explicit FairShares(std::span<const Bandwidth> capacities);

  /// The new flow's number, which may be that of one removed before; `none` where nothing limits
  /// it.
  uint32_t add(const Flow& flow);
  void remove(uint32_t flow);

  /// Brings all levels up to date. What follows holds after it. A layer is a link as one class of
  /// priority sees it, or the cap of one flow.
  void solve();

  size_t layers() const { return layers_.size(); }
  uint32_t bottleneck(uint32_t flow) const { return flows_[flow].bottleneck; }
  /// The flows whose bottleneck this layer is.
  std::span<const uint32_t> held_by(uint32_t layer) const { return groups_[layer].held; }
  /// Rate of a flow of weight 1 that the layer holds, in bytes/s.
  double level(uint32_t layer) const { return to_double(layers_[layer].level) * unit_; }
  /// Returns a bound that is never below the level, and seldom changes.
  double ceiling(uint32_t layer) const { return to_double(layers_[layer].ceiling) * unit_; }

  /// Since forget_changes(): layers with another level or other flows ...
  std::span<const uint32_t> changed_layers() const { return changed_; }
  /// ... of them, those with another ceiling or other flows ...
  bool regrouped(uint32_t layer) const { return layers_[layer].regrouped; }
  /// ... and flows that are new or were given another bottleneck, perhaps more than once.
  std::span<const uint32_t> moved_flows() const { return moved_; }
  void forget_changes();

 private:
  /// The data of a layer that the innermost loop touches.
  struct Gauge {
    Fixed free = 0;      // capacity that neither this class nor a higher one uses
    int64_t alarm = 0;   // visit the layer as soon as upper(free) is below this
    double highest = 0;  // no flow on the layer that another one holds has a level above this
  };
  struct Layer {
    Fixed level = unlimited;  // by unit of load; unlimited where the layer holds no flow
    Fixed ceiling = 0;
    uint64_t load = 0;      // of the flows it holds
    uint64_t crossing = 0;  // load of all flows on it
    uint32_t below = none;  // the next lower class of the same link
    int priority = 0;
    bool spare = true;  // counts flows at their ceilings
    bool alone = true;  // the only class of its link
    bool queued = false, changed = false, regrouped = false;
  };
  /// The load that the flows held by one layer put on another.
  struct Neighbour {
    uint64_t load = 0;
    uint32_t layer = 0;
  };
  struct Crossing {
    uint64_t load = 0;
    uint32_t flow = 0;
  };
  struct Group {
    std::vector<Crossing> crossing;  // flows on the layer
    std::vector<uint32_t> held;
    std::vector<Neighbour> exact, spare;  // neighbours of `held`
    uint64_t pending = 0;                 // load of flows on the layer that nobody holds yet
  };
  struct FlowState {
    uint32_t bottleneck = none;
    uint32_t place = 0;             // in `held` of it
    uint32_t first = 0, count = 0;  // range of route_
    bool capped = false;            // the last layer of its route is its own
  };
  struct Step {
    uint64_t load = 0;
    uint32_t layer = 0;
    uint32_t place = 0;  // in `crossing` of it
  };
  struct Visit {
    double level;
    int priority;
    uint32_t layer;
    bool operator>(const Visit& other) const {
      return priority != other.priority ? priority < other.priority : level > other.level;
    }
  };
  struct Contender {
    Fixed limit;
    uint64_t load;
    uint32_t flow;
  };

  // fair_shares.cpp: flows come and go
  uint32_t add_layer(Fixed capacity, int priority);
  uint32_t layer_of(uint32_t link, int priority);
  uint32_t add_class(uint32_t link, uint32_t above, uint32_t below, int priority);
  uint32_t cap_layer(Fixed capacity, int priority);
  uint32_t add_flow(size_t steps);
  void cross(uint32_t flow, const Step& step, uint32_t place_in_route);
  void leave(const Step& step);
  void place(uint32_t flow);
  std::span<const Step> route(const FlowState& flow) const {
    return {&route_[flow.first], flow.count};
  }

  // fair_groups.cpp: who holds which flow, and who counts it how
  void mark_changed(uint32_t layer);
  void hold(uint32_t layer, uint32_t flow);
  void release(uint32_t flow);
  void join(uint32_t holder, uint32_t layer, uint64_t load);
  void part(uint32_t holder, uint32_t layer, uint64_t load);
  Fixed counted(const FlowState& flow, const Step& step, uint32_t layer) const;
  void deposit(const FlowState& flow);
  void withdraw(const FlowState& flow);
  void set_level(uint32_t layer, Fixed level);
  Fixed margin(uint32_t layer) const;
  void count_exactly(uint32_t layer);
  void try_to_spare(uint32_t layer);
  void switch_lists(uint32_t layer);

  // fair_levels.cpp: levels
  void use(uint32_t layer, Fixed amount) {
    Gauge& gauge = gauges_[layer];
    gauge.free -= amount;
    if (upper(gauge.free) < gauge.alarm) [[unlikely]]
      alert(layer);
  }
  void watch(uint32_t layer);
  void alert(uint32_t layer);
  void enqueue(uint32_t layer);
  double estimate(uint32_t layer) const;
  void visit(uint32_t layer);
  void visit_idle(uint32_t layer);
  Fixed affordable(uint32_t layer, Fixed shared, uint64_t load) const;
  void shift(uint32_t layer, Fixed level);
  void shift_lower_classes(uint32_t layer, Fixed step);
  uint32_t lowest_layer(const FlowState& flow, uint32_t except) const;
  void fill(uint32_t layer, Fixed at_least);
  Fixed contend(uint32_t layer, Fixed at_least);
  void give(uint32_t flow, uint32_t layer);

  int bits_;                     // after the binary point of bytes/s
  double unit_;                  // rate of weight 1 at level 1, in bytes/s
  Fixed largest_;                // no capacity is this large
  std::vector<Fixed> capacity_;  // by link
  std::vector<uint32_t> top_;    // by link: its highest class; `none` where infinite
  std::vector<Gauge> gauges_;    // by layer
  std::vector<Layer> layers_;
  std::vector<Group> groups_;
  std::vector<FlowState> flows_;
  std::vector<Step> route_;
  std::vector<uint32_t> free_flows_, free_caps_;
  std::priority_queue<Visit, std::vector<Visit>, std::greater<>> queue_;
  std::vector<uint32_t> fresh_;  // to be queued when all new flows are there
  std::vector<Step> steps_;      // of the flow that is being added
  std::vector<Contender> contenders_;
  std::vector<uint32_t> changed_, moved_;
  bool classes_ = false;     // some link has more than one
  bool overloaded_ = false;  // some gauge is dangerously far below zero
};

}  // namespace pipewright::network
