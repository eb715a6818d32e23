#include "kernels/cuda/memory.hpp"

#include "kernels/cuda/check.hpp"

namespace pipewright::kernels::cuda {

struct Memory::Pool {
  FreeBlocks free;
  LastUse now;

  ~Pool() {
    free.for_each([](void* block) { check_closed(cudaFree(block), "giving back memory"); });
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
