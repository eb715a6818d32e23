#include "kernels/cuda/staging.hpp"

#include "kernels/cuda/check.hpp"

namespace pipewright::kernels::cuda {
namespace {

char* pinned(size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "pinned memory");
  return static_cast<char*>(memory);
}

}  // namespace

Staging::Staging() : size_(size_t{16} << 20), ring_(pinned(size_)) {}

Staging::~Staging() { check_closed(cudaFreeHost(ring_), "giving back pinned memory"); }

void* Staging::take(size_t bytes) {
  if (used_ + bytes > size_) {
    check(cudaDeviceSynchronize(), "waiting for the device");
    used_ = 0;
    if (bytes > size_) {
      check(cudaFreeHost(ring_), "pinned memory");
      ring_ = nullptr;
      ring_ = pinned(bytes);
      size_ = bytes;
    }
  }
  void* place = ring_ + used_;
  used_ += (bytes + 255) / 256 * 256;
  return place;
}

}  // namespace pipewright::kernels::cuda
