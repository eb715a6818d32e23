// How busy a link is.
#pragma once

#include "topology/wiring.hpp"

namespace pipewright {

/// Links that are busy for a smaller part of a run hold nobody up but by chance.
inline constexpr double hardly_busy = 0.1;

/// Returns the share of `makespan` in which `link` carries `bytes`; 0 for one without a limit.
inline double busy_fraction(const Link& link, double bytes, Time makespan) {
  const double capacity = link.bandwidth.bytes_per_s * in_seconds(makespan);
  return capacity > 0 ? bytes / capacity : 0;
}

}  // namespace pipewright
