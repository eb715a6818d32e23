// The layers whose level is to be looked at again, in ascending order of level.
#pragma once

#include <queue>

#include "network/fair_layers.hpp"

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

  Fixed largest_;
  std::priority_queue<Visit, std::vector<Visit>, std::greater<>> queue_;
};

}  // namespace pipewright::network
