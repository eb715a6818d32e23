// The compute of one rank by layer and by kernel, and what an iteration would gain without a cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "result/accounts/breakdown.hpp"

namespace pipewright {

/// The passes of one layer in an iteration. What is of no layer has rows of its own.
struct LayerTime {
  std::string name;
  int stage = 0;
  double forward_s = 0, backward_s = 0;  ///< backward with what is run again
  Bytes activation;                      ///< kept for one micro-batch
  double parameters = 0;                 ///< of the whole layer
};

/// What the time of a kernel is set by.
enum class KernelBound : uint8_t { compute, memory, launch };
/// Where the time of a kernel comes from.
enum class TimeOrigin : uint8_t { measured, fitted, datasheet, given };

/// All kernels of one shape in an iteration.
struct KernelTime {
  std::string kernel, shape;
  int64_t count = 0;
  double time_s = 0;
  double share = 0;  ///< of all compute
  KernelBound bound = KernelBound::compute;
  TimeOrigin origin = TimeOrigin::datasheet;
};

/// The seconds by which an iteration would be shorter if one cost were nothing.
struct IfFree {
  std::array<Time, traffic_kinds> traffic{};
  Time host, bubble;
};

/// The compute of the rank that computes longest. Its layers and its kernels each add up to it.
struct ComputeDetail {
  std::vector<LayerTime> layers;
  std::vector<KernelTime> kernels;  ///< the longest first
  std::optional<IfFree> if_free;    ///< where it was asked for
};

}  // namespace pipewright
