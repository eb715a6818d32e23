// Levels, brought up to date layer by layer.
#pragma once

#include "network/fair_groups.hpp"

namespace pipewright::network {

class FairLevels : protected FairGroups {
 protected:
  /// A level stays while what its flows get is within `tolerance` of what they could.
  FairLevels(Fixed danger, double tolerance) : FairGroups(danger), tolerance_(tolerance) {}

  /// Brings all levels up to date.
  void solve();

  std::vector<uint32_t> fresh_;  // layers to be queued when all new flows are there
  std::vector<uint32_t> moved_;
  bool classes_ = false;  // some link has more than one

 private:
  struct Contender {
    Fixed limit;
    uint64_t load;
    uint32_t flow;
  };

  void visit_all();
  void start_over();
  void visit(uint32_t layer);
  bool is_tolerated(uint32_t layer) const;
  void visit_idle(uint32_t layer);
  Fixed affordable(uint32_t layer, Fixed shared, uint64_t load) const;
  void shift(uint32_t layer, Fixed level);
  void shift_lower_classes(uint32_t layer, Fixed step);
  void fill(uint32_t layer, Fixed at_least);
  Fixed contend(uint32_t layer, Fixed at_least);
  void give(uint32_t flow, uint32_t layer);

  double tolerance_;
  std::vector<Contender> contenders_;
};

}  // namespace pipewright::network
