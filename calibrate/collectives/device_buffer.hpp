// Memory of a GPU that messages and collectives are made of.
#pragma once

#include <cstdint>

#include "kernels/cuda/check.hpp"

namespace pipewright::calibration {

/// Grows as it is asked for.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  ~DeviceBuffer() { kernels::cuda::check_closed(cudaFree(data_), "cudaFree"); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  float* of(int64_t elements) {
    if (elements <= elements_) return data_;
    kernels::cuda::check(cudaFree(data_), "cudaFree");
    data_ = nullptr;
    elements_ = 0;
    const size_t bytes = static_cast<size_t>(elements) * sizeof(float);
    kernels::cuda::check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes), "cudaMalloc");
    // Never zeros, which draw less power: every byte 0x3f makes each element about 0.75.
    kernels::cuda::check(cudaMemset(data_, 0x3f, bytes), "cudaMemset");
    elements_ = elements;
    return data_;
  }

 private:
  float* data_ = nullptr;
  int64_t elements_ = 0;
};

}  // namespace pipewright::calibration
