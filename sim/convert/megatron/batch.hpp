// The batch of Megatron-LM's arguments.
#pragma once

#include "convert/megatron/degrees.hpp"
#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

struct Batch {
  int64_t micro = 1, global = 1;  ///< sequences of a micro-batch, and of a step of all replicas
  int64_t sequence = 1;           ///< tokens
};

/// Reads the batch. One that grows during the training is its last one, and a note says so. Throws
/// InputError for sizes that are missing or that Megatron-LM would refuse.
Batch read_batch(Flags& flags, const Degrees& degrees);

}  // namespace pipewright::megatron
