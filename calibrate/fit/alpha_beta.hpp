// Collectives whose library tells nothing of its algorithms, such as MPI's: piecewise alpha-beta.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "config/value.hpp"
#include "interop/nccl_points.hpp"
#include "network/nccl/profile.hpp"

namespace pipewright::fit {

/// A line for the buffers up to `most_bytes` that are above the segment before, in seconds and
/// seconds a byte.
struct AlphaBeta {
  double most_bytes = 0;
  double base_s = 0, doubling_s = 0,
         rank_s = 0;                     ///< at all, each doubling of ranks, each rank more
  double byte_s = 0, shared_byte_s = 0;  ///< of a rank's own link; of what all share
};

/// One operation at one place: "host", "hosts" (all of their ranks), "rail" (a rank of each).
struct CollectiveFit {
  std::string operation, place;
  std::vector<AlphaBeta> segments;
  HeldOut held_out;
};

/// Seconds of `bytes` over `ranks`.
double predicted_s(const CollectiveFit& fit, int ranks, double bytes);

/// Every operation at every place of `points` by itself; the error is of fits that left out a fifth
/// of the shapes at a time, on what they left out.
std::vector<CollectiveFit> fit_alpha_beta(const std::vector<interop::NcclPoint>& points);

config::Value to_value(const std::vector<CollectiveFit>& fits);

}  // namespace pipewright::fit
