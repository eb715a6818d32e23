// A GPU's multiprocessors cut into partitions by green contexts, each with its own streams. Source:
// CUDA driver API, "Green contexts".
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

namespace pipewright::kernels::cuda {

class Partitions {
 public:
  /// `count` of equal size; one is the whole device. Throws Failure when the device cannot be cut
  /// so, with what it can.
  Partitions(int device, int count);
  ~Partitions();
  Partitions(const Partitions&) = delete;

  int processors() const { return processors_; }  ///< of each
  cudaStream_t make_stream(size_t partition);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
  int processors_ = 0;
};

}  // namespace pipewright::kernels::cuda
