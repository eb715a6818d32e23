// parallel.tensor_kind: how tensor ranks stand to each other.
#pragma once

#include "config/value.hpp"
#include "workload/tensor_grid.hpp"

namespace pipewright {

/// Reads 1d, 2d, 2.5d, {2.5d: DEPTH} or 3d, for `tensor` ranks.
TensorGrid read_tensor_kind(const config::Value& value, int tensor);

}  // namespace pipewright
