// The layers whose level is to be looked at again, in ascending order of level.
//
// Where most levels move with every flow that ends, their order hardly does. So layers are ranked
// by level once for many visits, and one that is ranked waits as a bit. The others wait in a heap.
// A rank that is out of date costs a second visit and changes no level.
#pragma once

#include <queue>

#include "network/fair_layers.hpp"
#include "network/ranked_set.hpp"

namespace pipewright::network {

class FairVisits : protected FairLayers {
 protected:
  /// No capacity is as large as `largest`.
  explicit FairVisits(Fixed largest) : largest_(largest) {}

  /// Takes `amount` of what the layer has free, and has it visited where that concerns it.
  void use(uint32_t layer, Fixed amount) {
    Gauge& gauge = gauges_[layer];
    gauge.free -= amount;
    if (upper(gauge.free) < gauge.alarm) [[unlikely]]
      alert(layer);
  }
  void watch(uint32_t layer);
  void enqueue(uint32_t layer);
  /// The layer to visit next; `none` where all levels are up to date.
  uint32_t take_visit();

  bool overloaded_ = false;  // some gauge is dangerously far below zero

 private:
  struct Visit {
    double level;
    int priority;
    uint32_t layer;
    bool operator>(const Visit& other) const {
      return priority != other.priority ? priority < other.priority : level > other.level;
    }
  };
  void alert(uint32_t layer);
  double estimate(uint32_t layer) const;
  Visit visit_of(uint32_t layer) const { return {estimate(layer), layers_[layer].priority, layer}; }
  /// As visit_of(), by the level that it has.
  Visit ranked_visit(uint32_t layer) const {
    return {to_double(layers_[layer].level), layers_[layer].priority, layer};
  }
  uint32_t first_ranked();
  uint32_t take_ranked(uint32_t layer);
  void rank_anew();

  Fixed largest_;
  std::priority_queue<Visit, std::vector<Visit>, std::greater<>> queue_;
  std::vector<uint32_t> rank_;     // by layer; none where it has none
  std::vector<uint32_t> by_rank_;  // those that held flows when they were ranked
  RankedSet waiting_;              // ranks
  size_t visits_ = 0;              // since then
};

}  // namespace pipewright::network
