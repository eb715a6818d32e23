// What max-min sharing (fair_shares.hpp) knows of layers, and of the flows that cross them.
#pragma once

#include <span>
#include <vector>

#include "network/fixed_point.hpp"

namespace pipewright::network {

inline constexpr uint32_t none = UINT32_MAX;

/// The data of a layer that the innermost loop touches.
struct FairGauge {
  Fixed free = 0;      // capacity that neither this class nor a higher one uses
  int64_t alarm = 0;   // visit the layer as soon as upper(free) is below this
  double highest = 0;  // no flow on the layer that another one holds has a level above this
};

/// A link as one class of priority sees it, or the cap of one flow.
struct FairLayer {
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
struct FairNeighbour {
  uint64_t load = 0;
  uint32_t layer = 0;
};

/// The load that one flow puts on a layer.
struct FairCrossing {
  uint64_t load = 0;
  uint32_t flow = 0;
  uint32_t step = 0;  // in `route_`, of the flow over the layer
};

/// The flows of a layer, and what those that it holds do to others.
struct FairGroup {
  std::vector<FairCrossing> crossing;  // flows on the layer
  std::vector<uint32_t> held;
  std::vector<FairNeighbour> exact, spare;  // neighbours of `held`
  uint64_t pending = 0;                     // load of flows on the layer that nobody holds yet
};

struct FairFlow {
  uint32_t bottleneck = none;
  uint32_t place = 0;             // in `held` of it
  uint32_t first = 0, count = 0;  // range of route_
  bool capped = false;            // the last layer of its route is its own
};

/// A layer on the route of a flow.
struct FairStep {
  uint64_t load = 0;
  uint32_t layer = 0;
  uint32_t place = 0;  // in `crossing` of it
};

/// The tables, by layer and by flow.
class FairLayers {
 protected:
  using Gauge = FairGauge;
  using Layer = FairLayer;
  using Neighbour = FairNeighbour;
  using Crossing = FairCrossing;
  using Group = FairGroup;
  using FlowState = FairFlow;
  using Step = FairStep;

  uint32_t add_layer(Fixed capacity, int priority);
  std::span<const Step> route(const FlowState& flow) const {
    return {&route_[flow.first], flow.count};
  }
  /// The layer of least level on the route of `flow`, not counting `except`.
  uint32_t lowest_layer(const FlowState& flow, uint32_t except) const;

  std::vector<Gauge> gauges_;  // by layer
  std::vector<Layer> layers_;
  std::vector<Group> groups_;
  std::vector<FlowState> flows_;
  std::vector<Step> route_;
};

}  // namespace pipewright::network
