// Sums over the kernels of a pass, for tests.
#pragma once

#include <optional>

#include "workload/layer.hpp"

namespace pipewright::test {

/// FLOPs of the kernels of one kind.
inline double kernel_flops(const Segments& pass, Kernel kernel) {
  double sum = 0;
  for (const Segment& segment : pass)
    for (const Work& work : segment.kernels)
      if (work.kernel == kernel) sum += work.flops;
  return sum;
}

/// Bytes that kernels read; `kernel` null: all of them.
inline double read_bytes(const Segments& pass, std::optional<Kernel> kernel = {}) {
  double sum = 0;
  for (const Segment& segment : pass)
    for (const Work& work : segment.kernels)
      if (work.kernel == kernel.value_or(work.kernel)) sum += static_cast<double>(work.read.count);
  return sum;
}

/// Bytes that kernels write; `kernel` null: all of them.
inline double written_bytes(const Segments& pass, std::optional<Kernel> kernel = {}) {
  double sum = 0;
  for (const Segment& segment : pass)
    for (const Work& work : segment.kernels)
      if (work.kernel == kernel.value_or(work.kernel))
        sum += static_cast<double>(work.written.count);
  return sum;
}

/// Bytes that kernels read and write together.
inline double moved_bytes(const Segments& pass, std::optional<Kernel> kernel = {}) {
  return read_bytes(pass, kernel) + written_bytes(pass, kernel);
}

}  // namespace pipewright::test
