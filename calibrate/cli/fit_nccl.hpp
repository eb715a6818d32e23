// 'fit nccl', and the same for what was just measured.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "network/nccl/predicted.hpp"

namespace pipewright::cli {

struct CollectiveFit {
  std::vector<interop::NcclPoint> points;  ///< within a node
  std::string device;                      ///< empty: as the points say
  std::string tuning, link_bandwidth;      ///< empty: the device's
  std::string output;                      ///< "-": standard output
};

/// Fits NCCL's model and writes the profile, and the points beside it. Throws InputError where it
/// does not know what to start from.
CollectiveProfile fit_and_write(CollectiveFit wanted, const Environment& environment);

}  // namespace pipewright::cli
