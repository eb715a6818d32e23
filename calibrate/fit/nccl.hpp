// The parameters of NCCL's collectives on a device from measured times.
#pragma once

#include <vector>

#include "network/nccl/predicted.hpp"

namespace pipewright::fit {

/// A robust fit of the logarithm of time, each algorithm and protocol by the points for which NCCL
/// chooses it. `profile` has `link_bandwidth` and `tuning`; what has no points keeps the parameters
/// that it has or, where it has none yet, defaults that follow from the link bandwidth.
CollectiveProfile fit_collectives(CollectiveProfile profile,
                                  const std::vector<interop::NcclPoint>& points);

/// The error of fits that left out a fifth of the shapes (operation, ranks, bytes) at a time, on
/// what they left out, from 1 KiB on.
HeldOut held_out_error(const CollectiveProfile& start,
                       const std::vector<interop::NcclPoint>& points);

}  // namespace pipewright::fit
