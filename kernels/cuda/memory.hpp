// Device memory that is taken from the driver once and handed out again: the driver's own
// allocation waits for the device.
#pragma once

#include <memory>

#include "kernels/cuda/free_blocks.hpp"

namespace pipewright::kernels::cuda {

class Memory {
 public:
  Memory();
  /// Allocates for work on the current stream. The numbers may be freed after the Memory.
  std::shared_ptr<float> allocate(int64_t elements);
  /// Takes `use` from now on as the last use of what is freed.
  void now_at(LastUse use);
  void ended(size_t stream, uint64_t epoch);

 private:
  struct Pool;
  std::shared_ptr<Pool> pool_;
};

}  // namespace pipewright::kernels::cuda
