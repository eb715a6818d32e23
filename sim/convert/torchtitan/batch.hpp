// The sequences of a torchtitan job.
#pragma once

#include "convert/torchtitan/degrees.hpp"

namespace pipewright::torchtitan {

struct Batch {
  int64_t at_once = 8;      ///< sequences that a replica has at once
  int64_t sequence = 2048;  ///< their tokens
};

Batch read_batch(job::Settings& settings);

/// Returns the sequences of a step, over all replicas. Throws InputError where they are not whole
/// batches.
int64_t read_global_batch(job::Settings& settings, const Batch& batch, const Degrees& degrees,
                          const Pipeline& pipeline);

/// Returns the tokens of the whole job.
double read_tokens(job::Settings& settings, int64_t sequence, int64_t global);

}  // namespace pipewright::torchtitan
