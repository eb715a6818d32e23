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
// of its flows' other links that this concerns, in nearly ascending order of level, until no level
// changes any more. A level does not depend on higher ones: hardly a link is visited twice, and a
// change stays above the level where it happens.
//
// Most links have capacity to spare and need not know rates exactly. They count every flow at its
// bottleneck's ceiling, a little above the level, and hear of a change only when a level passes its
// ceiling. This changes no result.
//
// Rates are fixed-point, so updates are exact. Weights are kept to 2^-32. A link may be overloaded
// far beyond what its number holds while levels are in motion: by a flow that crosses it many times
// and comes to another link, where few flows have much. Then all flows wait for a level as if they
// were new, and levels are found from below, which overloads nothing.
#pragma once

#include <span>
#include <vector>

#include "network/fair_levels.hpp"
#include "network/sharing.hpp"

namespace pipewright::network {

class FairShares : private FairLevels {
 public:
  /// Takes the capacities of links 0, 1, ...; infinite where a link limits nobody. What a full link
  /// carries may fall short of its capacity by the part `tolerance`: so the rates are those of
  /// links that are a little narrower, and most changes stay where they happen. At 0 they are
  /// exact.
  explicit FairShares(std::span<const Bandwidth> capacities, double tolerance = 0);

  /// The weight as it is held.
  static double held_weight(double weight);

  /// The new flow's number, which may be that of one removed before; `none` where nothing limits
  /// it.
  uint32_t add(const Flow& flow);
  void remove(uint32_t flow);

  /// What follows holds after all levels were brought up to date. A layer is a link as one class of
  /// priority sees it, or the cap of one flow.
  using FairLevels::solve;

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
  uint32_t layer_of(uint32_t link, int priority);
  uint32_t add_class(uint32_t link, uint32_t above, uint32_t below, int priority);
  uint32_t cap_layer(Fixed capacity, int priority);
  uint32_t add_flow(size_t steps);
  void cross(uint32_t flow, const Step& step, uint32_t place_in_route);
  void leave(const Step& step);
  void place(uint32_t flow);

  int bits_;                     // after the binary point of bytes/s
  double unit_;                  // rate of weight 1 at level 1, in bytes/s
  std::vector<Fixed> capacity_;  // by link
  std::vector<uint32_t> top_;    // by link: its highest class; `none` where infinite
  std::vector<uint32_t> free_flows_, free_caps_;
  std::vector<Step> steps_;  // of the flow that is being added
};

}  // namespace pipewright::network
