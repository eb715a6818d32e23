// Numbers of a device that layers without a kernel of their own work on.
#pragma once

#include <vector>

#include "kernels/kernels.hpp"

namespace pipewright::train {

inline std::vector<float> numbers_of(kernels::Kernels& kernels, const kernels::Tensor& tensor) {
  std::vector<float> numbers(static_cast<size_t>(tensor.size()));
  if (!numbers.empty()) kernels.download(tensor, numbers);
  return numbers;
}

inline kernels::Array array_of(kernels::Kernels& kernels, const std::vector<float>& numbers,
                               int64_t columns) {
  kernels::Array array = kernels.array(static_cast<int64_t>(numbers.size()) / columns, columns);
  kernels.upload(numbers, array);
  return array;
}

}  // namespace pipewright::train
