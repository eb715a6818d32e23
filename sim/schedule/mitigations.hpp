// Mitigations of pipelined backpropagation against gradients that come late, beyond looking ahead:
// of the update and of what predictions carry on, which change neither orders nor versions.
#pragma once

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

struct Mitigations {
  /// Predictions carry on the weights' last change, not the optimizer's velocity.
  bool by_difference = false;
  /// By stage, the number of updates between forward and backward that spike compensation makes up
  /// for; empty without it.
  std::vector<int> spike_delays;
};

/// Returns the mitigations of the schedule `spec` over `ranks`; a schedule that names none has
/// none.
Mitigations mitigations_of(const config::Value& spec, int ranks);

}  // namespace pipewright::schedule
