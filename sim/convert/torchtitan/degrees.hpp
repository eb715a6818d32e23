// How many devices a torchtitan job is for, and how they share the work.
#pragma once

#include "convert/torchtitan/pipeline.hpp"

namespace pipewright::torchtitan {

struct Degrees {
  int64_t tensor = 1, context = 1, expert = 1;
  int64_t replicate = 1, shard = 1;
  int64_t world = 1;  ///< all devices

  /// Returns how many groups of devices have batches of their own.
  int64_t data() const { return shard * replicate; }
};

/// Reads the degrees. A job does not say its devices: notes what is assumed. Throws InputError
/// where the degrees are not for that many.
Degrees read_degrees(job::Settings& settings, const Pipeline& pipeline, bool has_experts);

/// Returns `parallel` as an experiment has it.
config::Value read_parallel(job::Settings& settings, const Degrees& degrees,
                            const Pipeline& pipeline);

}  // namespace pipewright::torchtitan
