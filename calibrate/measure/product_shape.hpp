// The layout of a product's factors in memory, by the pass that it belongs to.
#pragma once

#include "calibrate/measure/point.hpp"
#include "kernels/kernels.hpp"

namespace pipewright::calibration {

struct ProductShape {
  using Form = kernels::Kernels::Form;

  int64_t batch = 1, m = 0, n = 0, k = 0;
  Form a_form = Form::plain, b_form = Form::plain;
  int64_t a_rows = 0, a_columns = 0, b_rows = 0, b_columns = 0;  ///< of all the batch
};

/// Returns the shape of a point of "gemm" or "gemm_batched".
inline ProductShape product_shape(const Point& p) {
  using Form = kernels::Kernels::Form;
  const bool batched = p.kernel == "gemm_batched";
  ProductShape s{.batch = batched ? p.sizes[0] : 1,
                 .m = p.sizes[batched],
                 .n = p.sizes[batched + 1],
                 .k = p.sizes[batched + 2]};
  const bool flip_a = p.direction == Direction::weight_gradient;
  const bool flip_b = p.direction == Direction::input_gradient;
  s.a_form = flip_a ? Form::transposed : Form::plain;
  s.b_form = flip_b ? Form::transposed : Form::plain;
  s.a_rows = s.batch * (flip_a ? s.k : s.m);
  s.a_columns = flip_a ? s.m : s.k;
  s.b_rows = s.batch * (flip_b ? s.n : s.k);
  s.b_columns = flip_b ? s.k : s.n;
  return s;
}

}  // namespace pipewright::calibration
