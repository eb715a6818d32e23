// Points of attention and of convolution as the kernels call their shapes.
#pragma once

#include "calibrate/measure/point.hpp"
#include "kernels/cudnn.hpp"

namespace pipewright::calibration {

inline bool is_attention(const Point& p) {
  return p.kernel == "attention" || p.kernel == "attention_grouped";
}

/// Tells whether cuDNN runs it, and nothing else can.
inline bool is_fused(const Point& p) {
  return p.kernel == "convolution" || p.kernel == "attention_grouped" ||
         (p.kernel == "attention" && p.dtype != DType::fp32);
}

inline kernels::Stored stored_as(DType dtype) {
  if (dtype == DType::bf16) return kernels::Stored::bf16;
  return dtype == DType::fp16 ? kernels::Stored::fp16 : kernels::Stored::fp32;
}

/// Returns the shape of a point of "attention" or "attention_grouped".
inline kernels::FusedAttention attention_shape(const Point& p) {
  const bool grouped = p.kernel == "attention_grouped";
  return {.sequences = p.sizes[0],
          .tokens = p.sizes[1],
          .heads = p.sizes[2],
          .kv_heads = p.sizes[grouped ? 3 : 2],
          .head_dim = p.sizes[grouped ? 4 : 3],
          .numbers = stored_as(p.dtype)};
}

/// Returns the shape of a point of "convolution".
inline kernels::Convolution convolution_shape(const Point& p) {
  const int64_t window = p.sizes[5];
  return {.samples = p.sizes[0],
          .height = p.sizes[1],
          .width = p.sizes[2],
          .channels = p.sizes[3],
          .filters = p.sizes[4],
          .window_height = window,
          .window_width = window,
          .stride = p.sizes[6],
          .pad_height = window / 2,
          .pad_width = window / 2,
          .numbers = stored_as(p.dtype)};
}

}  // namespace pipewright::calibration
