// The batch of a DeepSpeed job: any of three keys may be left out.
#pragma once

#include <cstdint>
#include <optional>

namespace pipewright::deepspeed {

/// What a job says; nothing where a key is not there.
struct GivenBatch {
  std::optional<int64_t> train, micro, steps;
};

struct Batch {
  int64_t train = 0;  ///< sequences of one iteration over all replicas; 0 where nothing says it
  int64_t micro = 0;  ///< sequences of one micro-batch
  int64_t steps = 0;  ///< micro-batches of a replica
};

/// Returns all three as DeepSpeed completes them.
Batch complete(const GivenBatch& given, int64_t replicas);

/// Tells whether the three agree, as DeepSpeed demands.
bool agrees(const Batch& batch, int64_t replicas);

}  // namespace pipewright::deepspeed
