// Who holds which flow, and how the other layers on its route count it.
#pragma once

#include "network/fair_visits.hpp"

namespace pipewright::network {

class FairGroups : protected FairVisits {
 protected:
  using FairVisits::FairVisits;

  void hold(uint32_t layer, uint32_t flow);
  void release(uint32_t flow);
  /// Has all layers on its route, and lower classes of them, count a flow that is held.
  void deposit(const FlowState& flow);
  void withdraw(const FlowState& flow);
  void set_level(uint32_t layer, Fixed level);
  void count_exactly(uint32_t layer);
  void try_to_spare(uint32_t layer);

  std::vector<uint32_t> changed_;

 private:
  void mark_changed(uint32_t layer);
  void join(uint32_t holder, uint32_t layer, uint64_t load);
  void part(uint32_t holder, uint32_t layer, uint64_t load);
  Fixed counted(const FlowState& flow, uint32_t layer) const;
  Fixed margin(uint32_t layer) const;
  void switch_lists(uint32_t layer);
};

}  // namespace pipewright::network
