// The convolutions and pools of LeNet-5 (LeCun et al. 1998; max-pooling, no ReLU, which looks at
// one number at a time and exchanges nothing), their images cut over workers.
#pragma once

#include "calibrate/train/layers/data_movement.hpp"

namespace pipewright::train {

/// The sizes of LeNet-5 on 28 x 28 places: 6 windows of 5 x 5, padded, and 16 over their pools.
inline constexpr int64_t lenet_inputs = 28 * 28, lenet_features = 5 * 5 * 16;
inline constexpr int64_t lenet_weights = 6 * (5 * 5 + 1) + 16 * (6 * 5 * 5 + 1);

struct LenetPass {
  Array y;          ///< [samples, lenet_features]
  Array dx;         ///< [samples, lenet_inputs]
  Array gradients;  ///< [1, lenet_weights]
};

/// Forward and backward over at most 5 workers; x [samples, lenet_inputs] and dy are worker 0's,
/// which spreads them and gathers what comes out.
LenetPass lenet_over(int workers, Kernels& kernels, const Array& x, const Tensor& weights,
                     const Array& dy);

}  // namespace pipewright::train
