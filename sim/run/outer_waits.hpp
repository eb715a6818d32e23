// How long sites wait for their exchanges, over a period in which every fragment is exchanged once.
//
// A period is `every` inner steps. Fragment k of F is exchanged after step (k + 1) every / F of it,
// rounded down. Exchanges go one after the other. A site goes on for `overlap` steps, then waits
// for the exchange and makes the outer step. With T a step, X an exchange and overlap d, an
// exchange that meets no other waits for max(0, X - d T).
// Left out: what an exchange takes from inner steps on links that both use.
#pragma once

#include <vector>

#include "base/units.hpp"
#include "experiment/options.hpp"

namespace pipewright {

/// One fragment's outer step.
struct OuterMeeting {
  Time exchange;  ///< by itself
  Time compute;   ///< outer gradients and outer optimizer
};

/// Returns the waits of a period in the steady state, by fragment. `inner` is the time of a step
/// without an outer one.
std::vector<Time> outer_waits(Time inner, const std::vector<OuterMeeting>& meetings,
                              const OuterSteps& outer);

}  // namespace pipewright
