// Fused attention and convolution by cuDNN, in the numbers that training uses: what a framework
// runs, to be measured beside our own kernels, which are for the replay's numerics and for machines
// without cuDNN.
#pragma once

#include <compare>
#include <memory>
#include <string>

#include "kernels/tensor.hpp"

namespace pipewright::kernels {

/// The type that is stored. Sums are fp32. Numbers of 16 bits stand two in the place of one of a
/// Tensor.
enum class Stored { fp32, bf16, fp16 };

/// Scores are scaled by 1 / sqrt(head_dim). fp32 is not served.
struct FusedAttention {
  int64_t sequences = 1, tokens = 0;
  int64_t heads = 1, kv_heads = 1, head_dim = 0;
  bool causal = true;
  Stored numbers = Stored::bf16;

  auto operator<=>(const FusedAttention&) const = default;
};

/// Images [samples, height, width, channels] and filters [filters, window_height, window_width,
/// channels], the last running fastest (NHWC). Cross-correlation, as all frameworks mean it.
struct Convolution {
  int64_t samples = 1, height = 0, width = 0, channels = 0, filters = 0;
  int64_t window_height = 1, window_width = 1, stride = 1, pad_height = 0, pad_width = 0;
  Stored numbers = Stored::bf16;

  int64_t out_height() const { return (height + 2 * pad_height - window_height) / stride + 1; }
  int64_t out_width() const { return (width + 2 * pad_width - window_width) / stride + 1; }
  auto operator<=>(const Convolution&) const = default;
};

/// Works on the selected stream of the kernels it belongs to. The plan of a shape is made at its
/// first call, which takes long: the first engine of cuDNN's own ranking that serves it. Tensors
/// are without gaps. Throws Failure with cuDNN's reason where it cannot serve a shape.
class Cudnn {
 public:
  virtual ~Cudnn() = default;
  virtual std::string version() const = 0;  ///< "cuDNN 9.19.0"

  /// q, y [sequences, tokens, heads, head_dim], k, v [sequences, tokens, kv_heads, head_dim];
  /// log_sums [sequences, heads, tokens] in fp32: of the exponentials of a row's scores.
  virtual void attention(const FusedAttention& shape, const Tensor& q, const Tensor& k,
                         const Tensor& v, const Tensor& y, const Tensor& log_sums) = 0;
  /// dq, dk, dv = ...
  virtual void attention_gradient(const FusedAttention& shape, const Tensor& q, const Tensor& k,
                                  const Tensor& v, const Tensor& y, const Tensor& log_sums,
                                  const Tensor& dy, const Tensor& dq, const Tensor& dk,
                                  const Tensor& dv) = 0;
  /// y = x * w
  virtual void convolution(const Convolution& shape, const Tensor& x, const Tensor& w,
                           const Tensor& y) = 0;
  /// dx = ...
  virtual void convolution_input_gradient(const Convolution& shape, const Tensor& w,
                                          const Tensor& dy, const Tensor& dx) = 0;
  /// dw = ...
  virtual void convolution_weight_gradient(const Convolution& shape, const Tensor& x,
                                           const Tensor& dy, const Tensor& dw) = 0;
};

}  // namespace pipewright::kernels
