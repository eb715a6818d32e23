// Kernel times out of other tools' traces: a table by kernel name.
//   kineto: the PyTorch profiler's Chrome trace, JSON with traceEvents[] of name, cat, ts and dur
//   in
//           us, plain or packed by gzip and read as a stream; kernels are the events of category
//           "kernel"
//   nsys:   Nsight Systems' SQLite export; CUPTI_ACTIVITY_KIND_KERNEL has start and end in ns and
//           demangledName, an id in StringIds
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace pipewright {

/// All launches of one kernel.
struct KernelTimes {
  std::string name;
  std::vector<double> seconds;  ///< ascending
};

/// Both return the kernels, the one that takes longest in all first, and throw InputError for what
/// is no such file or has no kernels. Of several traces, such as of several ranks, the kernels are
/// counted together.
std::vector<KernelTimes> read_kineto(const std::vector<std::string>& files);
std::vector<KernelTimes> read_nsys(const std::string& file);

/// CSV: kernel, launches, total_s, median_s, min_s, max_s.
std::string csv_of(const std::vector<KernelTimes>& kernels);

}  // namespace pipewright
