// The streams of a device, marks on them, and the memory that is handed out for their work.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "kernels/cuda.hpp"
#include "kernels/cuda/memory.hpp"
#include "kernels/cuda/partitions.hpp"

namespace pipewright::kernels::cuda {

class DeviceStreams : public virtual Streams {
 public:
  /// Takes the device.
  explicit DeviceStreams(const CudaOptions& options);
  ~DeviceStreams() override;

  void select(size_t stream, size_t partition) override;
  void mark(size_t mark) override;
  void wait_for(size_t mark) override;
  void reach(size_t mark) override;
  bool reached(size_t mark) override;
  void spin(Time time) override;
  Time between(size_t from, size_t to) override;
  void drain() override;

  cudaStream_t stream() const { return lanes_[selected_].stream; }
  std::shared_ptr<float> allocate(int64_t elements) { return memory_.allocate(elements); }
  Array array(int64_t rows, int64_t columns) {
    return array_in(allocate(rows * columns), rows, columns);
  }
  /// Memory for one product of the selected stream at a time.
  float* product_workspace(size_t bytes);
  /// Multiprocessors of a partition; 0 where there is one that is the whole device.
  int partition_processors() const { return is_cut_ ? partitions_.processors() : 0; }
  CudaDevice describe() const;
  int device_number() const { return device_; }

 private:
  struct Lane {
    cudaStream_t stream = nullptr;
    uint64_t epoch = 0;  ///< marks recorded on it
    Array workspace;     ///< of products; there once there was one
  };
  struct Mark {
    cudaEvent_t event = nullptr;
    LastUse at;
  };

  int device_;
  bool is_cut_;
  Partitions partitions_;
  Memory memory_;
  std::vector<Lane> lanes_;
  std::vector<Mark> marks_;
  size_t selected_ = 0;
};

}  // namespace pipewright::kernels::cuda
