// Tensors as Eigen sees them.
#pragma once

#include <Eigen/Core>

#include "kernels/tensor.hpp"

namespace pipewright::kernels::cpu {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Map = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

inline Map map(const Tensor& t) {
  return {t.data, t.rows, t.columns, Eigen::OuterStride<>(t.stride)};
}
inline auto row(const Tensor& t, int64_t r) { return map(t.row_range(r, 1)).row(0); }

}  // namespace pipewright::kernels::cpu
