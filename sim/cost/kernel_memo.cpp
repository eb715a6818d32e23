#include "cost/kernel_memo.hpp"

#include <bit>
#include <cstddef>

namespace pipewright {

size_t KernelMemo::Hash::operator()(const Key& key) const {
  uint64_t state = static_cast<uint64_t>(key.device);
  const auto mix = [&](uint64_t value) {
    state = (state ^ value) * 0x9e3779b97f4a7c15;
    state ^= state >> 32;
  };
  const Work& work = key.work;
  mix(static_cast<uint64_t>(work.kernel) << 16 | static_cast<uint64_t>(work.dtype) << 8 |
      static_cast<uint64_t>(work.direction));
  for (const int64_t size : work.shape) mix(static_cast<uint64_t>(size));
  mix(std::bit_cast<uint64_t>(work.flops));
  mix(static_cast<uint64_t>(work.read.count));
  mix(static_cast<uint64_t>(work.written.count));
  return static_cast<size_t>(state);
}

}  // namespace pipewright
