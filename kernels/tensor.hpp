// Row-major matrices of fp32 in the memory of a device.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace pipewright::kernels {

/// A view; whoever made it keeps the memory. Rows may stand apart, so that columns can be cut out.
struct Tensor {
  float* data = nullptr;
  int64_t rows = 0, columns = 0;
  int64_t stride = 0;  ///< elements from one row to the next

  int64_t size() const { return rows * columns; }
  Tensor row_range(int64_t first, int64_t count) const {
    return {data + first * stride, count, columns, stride};
  }
  Tensor column_range(int64_t first, int64_t count) const {
    return {data + first, rows, count, stride};
  }
};

/// A tensor that shares ownership of its memory. Copies are of the handle.
struct Array {
  std::shared_ptr<float> memory;
  Tensor tensor;

  operator const Tensor&() const { return tensor; }
  explicit operator bool() const { return memory != nullptr; }
};

/// The array that has `memory`, of so many rows and columns, for itself.
inline Array array_in(std::shared_ptr<float> memory, int64_t rows, int64_t columns) {
  float* data = memory.get();
  return {std::move(memory), {data, rows, columns, columns}};
}

}  // namespace pipewright::kernels
