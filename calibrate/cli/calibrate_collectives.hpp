// 'calibrate --collectives'.
#pragma once

#include "cli/command.hpp"

namespace pipewright::cli {

struct CollectiveCalibration {
  std::string backend, output, device;
  std::string most;  ///< bytes, with a unit; empty: as many as are usual
  bool quick = false, quiet = false;
};

/// Throws InputError where this is no rank of several. A rank that dies ends all, status 1.
int calibrate_collectives(const CollectiveCalibration& wanted, const Environment& environment);

}  // namespace pipewright::cli
