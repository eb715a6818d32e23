// A run that takes longer than the simulated clock reaches.
#pragma once

#include "base/error.hpp"

namespace pipewright {

/// A simulated time is longer than a Time can be.
class ClockExceeded : public Failure {
 public:
  ClockExceeded() : Failure("the simulated time exceeds the clock's range of 106 days") {}
};

}  // namespace pipewright
