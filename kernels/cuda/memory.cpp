#include "kernels/cuda/memory.hpp"

#include "kernels/cuda/check.hpp"

namespace pipewright::kernels::cuda {

struct Memory::Pool {
  FreeBlocks free;
  LastUse now;

  ~Pool() {
    // At the end of the program the driver may be gone already: nothing to do about it.
    free.for_each([](void* block) { static_cast<void>(cudaFree(block)); });
  }
};

Memory::Memory() : pool_(std::make_shared<Pool>()) {}

std::shared_ptr<float> Memory::allocate(int64_t elements) {
  const size_t bytes = rounded_size(static_cast<size_t>(elements) * sizeof(float));
  void* block = pool_->free.take(bytes, pool_->now.stream);
  if (!block) check(cudaMalloc(&block, bytes), "device memory");
  return {static_cast<float*>(block),
          [pool = pool_, bytes](float* memory) { pool->free.put(bytes, memory, pool->now); }};
}

void Memory::now_at(LastUse use) { pool_->now = use; }

void Memory::ended(size_t stream, uint64_t epoch) { pool_->free.ended(stream, epoch); }

}  // namespace pipewright::kernels::cuda
