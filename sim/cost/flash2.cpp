// FlashAttention-2 multiplies with Ampere's warp-wide instructions, which later devices still have
// but which do not feed their tensor cores: its rate is one of each processor, whatever the peak.
// With F FLOPs, d numbers in a head, s queries, P processors:
//   time = 1.1 F (D / d) (1 + 21.5 / D) (1 + 256 / s) / (r P),   D = d rounded up to 32
// r = 3.27 TFLOP/s forward, 0.87 of it backward. 1.1 and 256 / s are what the causal mask's edge
// and unequal blocks take. An Ampere device is slower than that by its own peak.
//
// Data: H100's forward pass in figures of Dao-AILab/flash-attention (assets/flash3_fp16_fwd.png)
// and arXiv 2407.08608: head dimensions 64 and 128, 512 to 16,384 tokens, with and without mask,
// met within 4 % from 2,048 tokens on and 18 % below; backward 322 of 370 TFLOP/s (figure 6).
// The rounding: csrc/flash_attn/flash_api.cpp there.
// FlashAttention-1, in Triton: FlashAttention-2 is 1.3 to 1.5 times as fast forward (1.4 is taken)
// and about twice as fast backward (arXiv 2307.08691, section 4.1, on A100), both as benchmarks
// have it: with its tensor cores idle as long again it does not draw the power that `steady` is
// for.
//
// Wrong for: devices whose warp-wide instructions run at another rate than Hopper's (nothing
// published on Blackwell was found); without a mask it is a tenth too slow.
#include "cost/flash2.hpp"

#include <algorithm>

namespace pipewright {

double flash2_seconds(const Work& work, const Device& device, double steady) {
  if (device.processors == 0) return 0;
  const auto [batch, heads, queries, head_dim] = work.shape;
  const double d = static_cast<double>(std::max<int64_t>(head_dim, 1));
  const double padded = static_cast<double>((std::max<int64_t>(head_dim, 1) + 31) / 32 * 32);
  const double s = static_cast<double>(std::max<int64_t>(queries, 1));
  const double direction = work.direction == Direction::forward ? 1 : 0.87;
  const double rate = 3.27e12 * device.processors * direction * steady;
  return 1.1 * work.flops * (padded / d) * (1 + 21.5 / padded) * (1 + 256 / s) / rate;
}

double forerunner(Direction direction) { return direction == Direction::forward ? 1.4 : 2; }

}  // namespace pipewright
