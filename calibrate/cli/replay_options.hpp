// The options of 'replay'.
#pragma once

#include <string>

#include "calibrate/live/work/real_job.hpp"
#include "cli/options.hpp"
#include "kernels/cuda.hpp"

namespace pipewright::cli {

struct ReplayOptions {
  CommonOptions common;
  std::string experiment, backend, compute, schedules;
  std::string profile;  ///< "measure", or one to predict by; empty: what the compute is used to
  int measure_partitions = 0;  ///< 0: as many as it runs on
  int repetitions = 5;
  double watchdog_s = 10;     ///< of processes
  kernels::CudaOptions cuda;  ///< partitions 0: one a rank
  live::RealOptions real;

  /// Tells whether predictions are made from the replay's own ops.
  bool measures() const { return profile.empty() || profile == "measure"; }
  /// Returns the partitions of a GPU that `ranks` share.
  int partitions(size_t ranks) const {
    return cuda.partitions == 0 ? static_cast<int>(ranks) : cuda.partitions;
  }
};

/// Throws InputError.
ReplayOptions read_replay_options(const Arguments& arguments);

}  // namespace pipewright::cli
