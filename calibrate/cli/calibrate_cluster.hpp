#pragma once

#include <string>

namespace pipewright::cli {

struct ClusterCalibration {
  std::string backend, output;
  bool quiet = false;
};

/// One of several processes; the first one reports.
int calibrate_cluster(const ClusterCalibration& wanted);

}  // namespace pipewright::cli
