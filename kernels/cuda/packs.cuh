// Neighbours that are loaded and stored in one access.
#pragma once

#include <cstdint>

#include "kernels/tensor.hpp"

namespace pipewright::kernels::cuda {

template <int Width>
struct alignas(4 * Width) Pack {
  float at[Width];
};

template <int Width>
__device__ Pack<Width> load(const float* from) {
  return *reinterpret_cast<const Pack<Width>*>(from);
}
template <int Width>
__device__ void store(float* to, const Pack<Width>& pack) {
  *reinterpret_cast<Pack<Width>*>(to) = pack;
}

/// Tells whether every row of all of them can be read four numbers at a time.
template <class... T>
bool in_fours(const T&... tensors) {
  return ((tensors.columns % 4 == 0 && tensors.stride % 4 == 0 &&
           reinterpret_cast<uintptr_t>(tensors.data) % 16 == 0) &&
          ...);
}

}  // namespace pipewright::kernels::cuda
