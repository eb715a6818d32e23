// The work of a kernel: enough for a roofline, a measured profile and a live replay.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.hpp"

namespace pipewright {

enum class DType : uint8_t { fp32, tf32, fp16, bf16, fp8, nvfp4 };

enum class Kernel : uint8_t {
  fixed,          ///< takes `fixed`, whatever the device (synthetic models, measured layers)
  gemm,           ///< C[m,n] = A[m,k] B[k,n], shape {batch, m, n, k}
  attention,      ///< fused attention, shape {batch, heads, query tokens, head_dim}
  norm,           ///< layernorm, rmsnorm: bound by memory
  elementwise,    ///< activations, dropout, residual, rotary embedding, softmax: bound by memory
  embedding,      ///< gather, scatter
  cross_entropy,  ///< loss over the vocabulary
  optimizer,      ///< update of the weights
  memcpy,         ///< device to device, or over the host link
  permute,        ///< rows put in another order, by index
  fused_loss,     ///< over the vocabulary, in place on the logits
};

/// The pass to which a kernel belongs: its operand layout and its accumulation follow from it.
enum class Direction : uint8_t { forward, input_gradient, weight_gradient };

/// What a kernel of a layer is for.
enum class Purpose : uint8_t {
  none,
  forward,
  recompute,
  input_gradient,
  weight_gradient,
  prediction,  ///< of weights
};

/// Where a kernel comes from. Its time does not depend on that.
struct Origin {
  int32_t layer = -1;  ///< of the model, from 0; -1: of no layer
  Purpose purpose = Purpose::none;
  bool operator==(const Origin&) const = default;
};

/// The place of a kernel in a CUDA graph, whose kernels a host starts at once.
enum class Captured : uint8_t {
  no,
  inside,
  opens,  ///< the first of its graph
};

/// One kernel on one device, or several of a kind.
struct Work {
  Kernel kernel = Kernel::fixed;
  DType dtype = DType::fp32;
  Direction direction = Direction::forward;
  double flops = 0;
  Bytes read, written;  ///< to and from device memory
  Bytes weights;        ///< of `read`, those of the model's weights
  /// Numbers that kernels without vector loads handle one by one; roofline.cpp.
  double singles = 0;
  std::array<int64_t, 4> shape{};  ///< by kernel, see above
  Time fixed;                      ///< only for Kernel::fixed
  /// It is shape[0] kernels, a gemm's batch, one after the other, each with its own operands.
  bool in_turn = false;
  Captured captured = Captured::no;
  Origin origin;

  int64_t kernels() const { return in_turn ? shape[0] : 1; }
  bool operator==(const Work&) const = default;
};

/// "gemm", "attention", "cross_entropy", ...
std::string_view name_of(Kernel kernel);

/// One of the kernels that run in turn.
inline Work one_of(Work work) {
  const int64_t count = work.kernels();
  work.flops /= static_cast<double>(count);
  work.singles /= static_cast<double>(count);
  work.read.count /= count;
  work.weights.count /= count;
  work.written.count /= count;
  work.shape[0] = 1;
  work.in_turn = false;
  return work;
}

}  // namespace pipewright
