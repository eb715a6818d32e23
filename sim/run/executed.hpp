// A program that has run.
#pragma once

#include <string>
#include <vector>

#include "engine/timeline.hpp"
#include "run/prepared.hpp"

namespace pipewright {

struct Executed {
  Program program;
  Timeline timeline;
  Time cut;  ///< all bytes over the busiest link at its capacity; zero where links are not shared
  double wall_s = 0;                  ///< from program to timeline
  Folding folding;                    ///< of the ranks that were simulated
  std::vector<double> bytes_by_link;  ///< that ran under flow; else empty
  std::vector<std::string> notes;     ///< on what had to be unfolded
};

}  // namespace pipewright
