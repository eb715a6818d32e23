// Host memory that the device reads by itself, so that a copy to it does not hold up the caller.
#pragma once

#include <cstddef>

namespace pipewright::kernels::cuda {

class Staging {
 public:
  Staging();
  ~Staging();
  Staging(const Staging&) = delete;
  /// A place for `bytes` that nothing on the device reads any more: waits for the device each time
  /// the ring has gone round.
  void* take(size_t bytes);

 private:
  size_t size_, used_ = 0;
  char* ring_;
};

}  // namespace pipewright::kernels::cuda
