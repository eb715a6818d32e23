// The layers whose level is to be looked at again, in nearly ascending order of level.
#pragma once

#include <functional>
#include <map>

#include "network/fair_layers.hpp"
#include "network/level_queue.hpp"

namespace pipewright::network {

class FairVisits : protected FairLayers {
 protected:
  /// A layer that lacks more than `danger` is visited before all others of its class.
  explicit FairVisits(Fixed danger) : danger_(danger) {}

  /// Takes `step` for each unit of `load` of what the layer has free, and has it visited where that
  /// concerns it.
  void use(uint32_t layer, Fixed step, uint64_t load) {
    Gauge& gauge = gauges_[layer];
    if (take(gauge.free, step, load)) [[unlikely]]
      out_of_range_ = true;
    if (upper(gauge.free) < gauge.alarm) [[unlikely]]
      alert(layer);
  }
  void watch(uint32_t layer);
  void enqueue(uint32_t layer);
  void enqueue_first(uint32_t layer);
  /// The layer to visit next; `none` where all levels are up to date.
  uint32_t take_visit();

  void forget_visits();

  bool overloaded_ = false;    // some gauge is dangerously far below zero
  bool out_of_range_ = false;  // some gauge was further, and says nothing

 private:
  /// The layers of one class of priority.
  struct Visits {
    std::vector<uint32_t> first;  // before the others, which they may be among
    LevelQueue others;
  };
  void alert(uint32_t layer);
  double level_of(uint32_t layer) const;

  Fixed danger_;
  std::map<int, Visits, std::greater<>> visits_;  // by priority, the highest first
};

}  // namespace pipewright::network
