// Blocks of device memory that are free for the caller, who runs ahead of the device: work that was
// given to it earlier may still read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace pipewright::kernels::cuda {

/// The work by which a freed block may still be read: what stands on `stream` up to its `epoch`.
struct LastUse {
  size_t stream = 0;
  uint64_t epoch = 0;
};

/// Memory that was freed, by size: which block may be taken for which work.
class FreeBlocks {
 public:
  void put(size_t bytes, void* block, LastUse use) { free_[bytes].push_back({block, use}); }
  /// One that work on `stream` may overwrite; null if there is none.
  void* take(size_t bytes, size_t stream);
  /// All work on `stream` up to `epoch` has ended.
  void ended(size_t stream, uint64_t epoch);
  template <class F>
  void for_each(F&& body) {
    for (auto& [bytes, blocks] : free_)
      for (const Block& block : blocks) body(block.memory);
  }

 private:
  struct Block {
    void* memory;
    LastUse use;
  };
  bool is_safe(const Block& block, size_t stream) const;
  std::map<size_t, std::vector<Block>> free_;
  std::vector<uint64_t> ended_;  // by stream
};

/// The size a request is served in: four steps a power of two.
size_t rounded_size(size_t bytes);

}  // namespace pipewright::kernels::cuda
