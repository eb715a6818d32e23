// The parameters of NCCL's collectives on a device from measured times.
#pragma once

#include <string>
#include <vector>

#include "interop/nccl_points.hpp"
#include "network/nccl/time.hpp"

namespace pipewright::fit {

/// What the model predicts for a measured point of one node, whose ring has the profile's links.
double predicted_s(const CollectiveProfile& profile, const interop::NcclPoint& point);

/// A robust fit of the logarithm of time, each algorithm and protocol by the points for which NCCL
/// chooses it. `profile` has `link_bandwidth` and `tuning`; what has no points keeps the parameters
/// that it has or, where it has none yet, defaults that follow from the link bandwidth.
CollectiveProfile fit_collectives(CollectiveProfile profile,
                                  const std::vector<interop::NcclPoint>& points);

/// The error of fits that left out a fifth of the shapes (operation, ranks, bytes) at a time, on
/// what they left out, from 1 KiB on.
HeldOut held_out_error(const CollectiveProfile& start,
                       const std::vector<interop::NcclPoint>& points);

struct Errors {
  std::vector<double> relative;  ///< (predicted - measured) / measured
  HeldOut summary() const;
};

}  // namespace pipewright::fit
