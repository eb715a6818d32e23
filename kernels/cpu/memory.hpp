// Host memory that is used again: what a training step allocates and frees, the next one allocates
// again, and fresh pages would cost more than many kernels.
#pragma once

#include <cstdint>
#include <memory>

namespace pipewright::kernels::cpu {

class Memory {
 public:
  Memory();
  /// `elements` floats, not initialised, aligned to 64 bytes. May be freed after the Memory.
  std::shared_ptr<float> allocate(int64_t elements);

 private:
  struct Pool;
  std::shared_ptr<Pool> pool_;
};

}  // namespace pipewright::kernels::cpu
