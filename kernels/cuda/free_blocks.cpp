#include "kernels/cuda/free_blocks.hpp"

#include <algorithm>
#include <bit>

namespace pipewright::kernels::cuda {

bool FreeBlocks::is_safe(const Block& block, size_t stream) const {
  // Work on one stream is in order: it overwrites only after the last use there.
  if (block.use.stream == stream) return true;
  return block.use.stream < ended_.size() && block.use.epoch <= ended_[block.use.stream];
}

void* FreeBlocks::take(size_t bytes, size_t stream) {
  const auto found = free_.find(bytes);
  if (found == free_.end()) return nullptr;
  std::vector<Block>& blocks = found->second;
  const auto block = std::find_if(blocks.rbegin(), blocks.rend(),
                                  [&](const Block& b) { return is_safe(b, stream); });
  if (block == blocks.rend()) return nullptr;
  void* memory = block->memory;
  blocks.erase(std::next(block).base());
  return memory;
}

void FreeBlocks::ended(size_t stream, uint64_t epoch) {
  if (ended_.size() <= stream) ended_.resize(stream + 1);
  ended_[stream] = std::max(ended_[stream], epoch);
}

size_t rounded_size(size_t bytes) {
  constexpr size_t least = 512;
  if (bytes <= least) return least;
  const size_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step;
}

}  // namespace pipewright::kernels::cuda
