// Random numbers by their place, not in an order: whoever asks first, the same place gives the
// same.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace pipewright {

/// Returns a standard normal number, of Box and Muller.
double normal(uint64_t seed, uint64_t index);

/// The kernels of a run that take a little longer or shorter than their prices say.
struct Jitter {
  uint64_t seed = 0;
  double spread = 0;  ///< of the logarithm of their times

  /// Returns how many times as long `op` computes.
  double factor(OpId op) const;
};

/// Changes what `program` computes in `durations`.
void apply_jitter(const Program& program, const Jitter& jitter, std::vector<Time>& durations);

}  // namespace pipewright
