// A prepared experiment becomes a timeline.
#pragma once

#include "engine/timeline.hpp"
#include "study/prepare.hpp"

namespace pipewright {

struct Executed {
  Program program;
  Timeline timeline;
  Time cut;  ///< all bytes over the busiest link at its capacity; zero where links are not shared
  double wall_s = 0;  ///< from program to timeline
};

/// Unfolds what cannot stand for others where links are shared. Throws Failure for a deadlock.
Executed execute(Prepared& prepared);

}  // namespace pipewright
