// The result of an executor, simulated or live: when every op became ready, started and ended.
#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"

namespace pipewright {

struct Span {
  Time ready;  ///< everything it comes after had ended
  Time start;  ///< and it was at the head of its lanes
  Time end;
};

struct Timeline {
  std::vector<Span> spans;  ///< by op
  std::string executor;     ///< "simulated", "cpu", "cuda"
};

}  // namespace pipewright
