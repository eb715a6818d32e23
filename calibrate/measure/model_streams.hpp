// The streaming kernels of a transformer as points: what a program's works, which tell no more than
// bytes, must be.
#pragma once

#include <set>

#include "calibrate/measure/point.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright::calibration {

/// Adds the kernels of a model of this shape that read and write as many numbers as `work` does:
/// its norm, activation, rotary embedding, dropout, residual sum, and Adam's step over at most
/// `most_weights` of its weights. Kernels of equal streams cannot be told apart: all are added.
void add_streams(const Work& work, const TransformerShape& shape, int64_t most_weights,
                 std::set<Point>& points);

}  // namespace pipewright::calibration
