// Slices of a trace of our own, as a test writes them.
#pragma once

#include "interop/run_trace.hpp"

namespace pipewright::test {

/// A slice from one millisecond to another.
inline RunSlice run_slice(RunSliceKind kind, uint32_t rank, int32_t stage, int32_t micro_batch,
                          int64_t start, int64_t end) {
  return {.kind = kind,
          .rank = rank,
          .stage = stage,
          .micro_batch = micro_batch,
          .start = milliseconds(start),
          .end = milliseconds(end)};
}

}  // namespace pipewright::test
