// The state of an NVIDIA GPU as its driver tells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pipewright::calibration {

struct Health {
  std::string uuid;
  int clock_mhz = 0, most_clock_mhz = 0, temperature_c = 0;
  std::string throttled;   ///< why clocks are held down, words joined by +; empty when they are not
  int64_t ecc_errors = 0;  ///< uncorrected, since the driver was loaded
};

/// Returns the health of the GPU that CUDA calls the first, from NVML where the driver brings it;
/// nothing otherwise.
std::optional<Health> gpu_health();

}  // namespace pipewright::calibration
