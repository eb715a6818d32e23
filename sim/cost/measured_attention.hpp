// Fused causal attention on one device, from measured times of its forward pass.
#pragma once

#include "cost/measured_gemm.hpp"

namespace pipewright {

struct AttentionConstants {
  double rate = 0.7;    ///< of the device's peak, in the two products
  double softmax = 64;  ///< head dimensions that softmax costs as much as
  double launch_s = 0;
  double longest = 1;   ///< of the time of the last block of queries, which sees all keys
  double tail = 1;      ///< average blocks that the ragged end lasts
  double memory = 0.7;  ///< of the memory bandwidth
};

struct AttentionShape {
  double batch = 1, heads = 1, kv_heads = 1, tokens = 1, head_dim = 1;
  double flops = 0;  ///< of the two products, masked pairs left out
  double bytes = 0;
};
AttentionShape causal_forward(const std::array<int64_t, 5>& sizes);

double attention_seconds(const AttentionShape& shape, const Device& device, DType dtype,
                         const AttentionConstants& constants);

class MeasuredAttention {
 public:
  MeasuredAttention(const AttentionConstants& constants, const Device& measured_on,
                    const PointTable& points);
  const AttentionConstants& constants() const { return constants_; }
  const PointTable& points() const { return field_.table(); }

  /// Does what MeasuredGemm::factor does; `sizes` are batch, heads, kv_heads, head_dim, sequence.
  Estimate factor(const std::array<int64_t, 5>& sizes) const;
  bool covers(const std::array<int64_t, 5>& sizes) const { return field_.covers(sizes); }

 private:
  AttentionConstants constants_;
  PointField field_;
};

}  // namespace pipewright
