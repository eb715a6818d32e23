// A run that takes longer than the simulated clock reaches.
#pragma once

#include "base/error.hpp"
#include "base/units.hpp"

namespace pipewright {

/// A simulated time is longer than a Time can be.
class ClockExceeded : public Failure {
 public:
  ClockExceeded() : Failure("the simulated time exceeds the clock's range of 106 days") {}
};

/// `begin + by`. Throws ClockExceeded when it does not fit in a Time.
inline Time later(Time begin, Time by) {
  Time end;
  if (__builtin_add_overflow(begin.ps, by.ps, &end.ps)) [[unlikely]]
    throw ClockExceeded();
  return end;
}

}  // namespace pipewright
