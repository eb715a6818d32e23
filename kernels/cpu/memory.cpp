#include "kernels/cpu/memory.hpp"

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <vector>

namespace pipewright::kernels::cpu {

struct Memory::Pool {
  std::mutex mutex;
  std::map<int64_t, std::vector<float*>> free;  // by bytes

  float* take(int64_t bytes) {
    {
      const std::lock_guard lock(mutex);
      std::vector<float*>& blocks = free[bytes];
      if (!blocks.empty()) {
        float* block = blocks.back();
        blocks.pop_back();
        return block;
      }
    }
    void* block = std::aligned_alloc(64, static_cast<size_t>(bytes));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<float*>(block);
  }
  void give_back(int64_t bytes, float* block) {
    const std::lock_guard lock(mutex);
    free[bytes].push_back(block);
  }
  ~Pool() {
    for (const auto& [bytes, blocks] : free)
      for (float* block : blocks) std::free(block);
  }
};

Memory::Memory() : pool_(std::make_shared<Pool>()) {}

std::shared_ptr<float> Memory::allocate(int64_t elements) {
  const int64_t bytes = (elements * 4 + 63) / 64 * 64;
  return {pool_->take(bytes),
          [pool = pool_, bytes](float* block) { pool->give_back(bytes, block); }};
}

}  // namespace pipewright::kernels::cpu
