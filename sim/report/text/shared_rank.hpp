// Which candidates may be as fast as the one that is named, for all that predictions may be off.
#pragma once

#include <span>
#include <string>

namespace pipewright {

/// A candidate that fits, with its predicted time.
struct TimedName {
  std::string name;
  double time_s = 0;
};

/// Returns a sentence that names those who share the rank of `chosen`, the fastest, and what to
/// measure first; empty where there is none. `deviation` is that of own_deviation().
std::string shared_rank_text(const TimedName& chosen, std::span<const TimedName> others,
                             double deviation);

}  // namespace pipewright
