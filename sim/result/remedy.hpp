// What makes a run fit that does not.
#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"

namespace pipewright {

/// Changes of an experiment under which its devices have enough memory.
struct Remedy {
  std::vector<std::string> changes;  ///< as --set takes them: "recompute=full"
  Time iteration;
  Bytes fullest;  ///< what the device with the least head room holds at the peak
};

}  // namespace pipewright
