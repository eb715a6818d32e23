// A point of a measurement: one kernel of one shape, and how long it took.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/work.hpp"

namespace pipewright::calibration {

/// Kernels, and the sizes that make their shapes.
///   gemm           m n k: C[m,n] = A[m,k] B[k,n]. Forward both as they stand, the input gradient
///                  with B transposed, the weight gradient with A transposed and added to C
///   gemm_batched   batch m n k: as many such products
///   attention      sequences tokens heads head_dim: causal, scores not stored; forward, or all
///                  gradients. In 16 bits by cuDNN, in fp32 by kernels of our own
///   attention_grouped  sequences tokens heads kv_heads head_dim: the same, by cuDNN
///   convolution    samples height width channels filters window stride: by cuDNN, borders padded
///                  so that a stride of 1 keeps the size; the three passes
///   layernorm, rmsnorm  rows columns; forward, or all gradients
///   softmax        rows columns; forward, or its gradient
///   rotary         tokens heads head_dim, in place; forward, or its gradient
///   gelu, swiglu   elements of the result; forward, or its gradients
///   dropout        elements: y = residual + dropped x; forward, or its gradient
///   add            elements: y += x
///   adam           elements: one step
///   copy           elements, from device memory to device memory
///   upload, download  elements, between host and device memory
///   launch         nothing but handing over the smallest kernel
struct Point {
  std::string kernel;
  Direction direction = Direction::forward;
  DType dtype = DType::fp32;
  std::vector<int64_t> sizes;

  auto operator<=>(const Point&) const = default;
};

/// The names of a kernel's sizes; empty for one that there is not.
std::vector<std::string_view> size_names(std::string_view kernel);

struct Measured {
  Point point;
  double median_s = 0, p10_s = 0, p90_s = 0;
  int repetitions = 0;
  int outliers = 0;     ///< thrown away
  bool steady = false;  ///< the spread got small enough

  /// Returns the relative error of the median, about 95 % sure: (p90 - p10) / median /
  /// sqrt(repetitions).
  double spread() const;
};

/// "forward", "input_gradient", "weight_gradient"
std::string_view name(Direction direction);

/// "gemm forward fp32 m=512 n=256 k=256"
std::string to_text(const Point& point);

/// Comma-separated values with a header, one measurement a line: kernel, direction, dtype, shape,
/// median_s, p10_s, p90_s, repetitions, outliers, steady.
std::string csv_header();
std::string csv_line(const Measured& measured);
/// Throws InputError with file and line.
std::vector<Measured> read_csv(std::string_view text, const std::string& file);

}  // namespace pipewright::calibration
