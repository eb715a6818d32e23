// Kernels that only stream, from measured times: bound by memory, but for their start.
//   time = latency + bytes / (cached, where all fits in the cache, else bandwidth)
// Bytes are read and written. A kernel whose operands were just made may find them in the cache and
// may not: predictions never take it to be faster than the device's memory (profile_cost.cpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/held_out.hpp"
#include "workload/work.hpp"

namespace pipewright {

struct StreamConstants {
  double latency_s = 0;
  double bytes_per_s = 0;  ///< from memory
  double cached_per_s = 0;
  double cache_bytes = 0;  ///< 0: no such step was seen

  double seconds(double bytes) const {
    return latency_s +
           bytes / (cache_bytes > 0 && bytes <= cache_bytes ? cached_per_s : bytes_per_s);
  }
};

/// The profile of one kind of kernel in one pass: gradients of all sorts are one.
struct StreamProfile {
  Kernel kernel = Kernel::elementwise;
  bool gradient = false;
  StreamConstants constants;
  double most_bytes = 0;  ///< of the measured points
  std::vector<HeldOutError> held_out;
};

/// Kinds that are measured: norm, elementwise, optimizer, memcpy. Empty for others.
std::string_view stream_name(Kernel kernel);
std::optional<Kernel> stream_named(std::string_view name);

}  // namespace pipewright
