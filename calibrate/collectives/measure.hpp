// Collectives of groups of ranks, measured as nccl-tests does: many calls in a row, seconds for one
// by the ranks' mean. All ranks go through the same points together, so that every one of them
// hears when one is gone.
#pragma once

#include <functional>

#include "calibrate/collectives/communicator.hpp"
#include "calibrate/collectives/plan.hpp"
#include "interop/nccl_points.hpp"

namespace pipewright::calibration {

struct CollectiveOptions {
  int64_t least_bytes = 8, most_bytes = int64_t{1} << 28;
  int factor = 4;          ///< between sizes
  double sample_s = 2e-3;  ///< a sample is as many calls as take this long
  double point_s = 0.2;    ///< for all samples of a point, or what the least of them take
  int least_samples = 5, most_samples = 50;
};

struct MeasuredCollective {
  interop::NcclPoint point;
  double p10_s = 0, p90_s = 0;  ///< of the samples
  int samples = 0, calls = 0;   ///< calls: of a sample
};

/// Is called after each point, on the first rank.
using CollectiveDone = std::function<void(const MeasuredCollective&, size_t done, size_t of)>;

/// All ranks of the session come here; the first has the result. Buffers that a device cannot hold
/// are left out.
std::vector<MeasuredCollective> measure_collectives(transport::Session& session,
                                                    Communicators& communicators,
                                                    const CollectiveOptions& options,
                                                    const CollectiveDone& done);

/// A line a point, with a header: op, dtype, ranks, nodes, bytes, time_s, p10_s, p90_s, samples,
/// calls.
std::string csv_of(const std::vector<MeasuredCollective>& all);

/// A line for each group and operation: the time of the smallest buffer, and the bandwidth of a
/// link in the largest as nccl-tests has it.
std::string summary_of(const std::vector<MeasuredCollective>& all);

}  // namespace pipewright::calibration
