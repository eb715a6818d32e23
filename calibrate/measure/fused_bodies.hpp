// The function that is called and timed for a kernel of cuDNN.
#pragma once

#include <functional>

#include "calibrate/measure/point.hpp"
#include "kernels/cudnn.hpp"

namespace pipewright::calibration {

/// Random numbers of so many rows and columns: in the point's type, or in fp32.
using Draw = std::function<kernels::Array(int64_t rows, int64_t columns, bool fp32)>;

/// Returns the body of a point that is_fused(). It owns its operands; `cudnn` outlives it. The plan
/// is made here, by a first call.
std::function<void()> fused_body(kernels::Cudnn& cudnn, const Point& point, const Draw& draw);

}  // namespace pipewright::calibration
