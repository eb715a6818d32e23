// How busy a link is.
#pragma once

#include "topology/wiring.hpp"

namespace pipewright {

/// Returns the share of `makespan` in which `link` carries `bytes`; 0 for one without a limit.
inline double busy_fraction(const Link& link, double bytes, Time makespan) {
  const double capacity = link.bandwidth.bytes_per_s * in_seconds(makespan);
  return capacity > 0 ? bytes / capacity : 0;
}

}  // namespace pipewright
