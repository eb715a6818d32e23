// Random numbers by their place, not in an order: whoever asks first, the same place gives the
// same.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace pipewright {

/// Returns a standard normal number, of Box and Muller.
double normal(uint64_t seed, uint64_t index);

/// The kernels of a run that take a little longer or shorter than their prices say. A number
/// belongs to a device and to the place of the kernel among those of the device, so it is the same
/// whichever devices a program simulates.
struct Jitter {
  uint64_t seed = 0;
  double spread = 0;  ///< of the logarithm of their times
  /// By device, the one whose numbers it has; empty: each its own.
  std::vector<int32_t> drawn_for = {};

  /// Returns how many times as long the kernel at `place` of `device` computes.
  double factor(int32_t device, uint32_t place) const;
};

/// Changes what `program` computes in `durations`.
void apply_jitter(const Program& program, const Jitter& jitter, std::vector<Time>& durations);

}  // namespace pipewright
