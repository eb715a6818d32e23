// FlashAttention-2 multiplies with Ampere's warp-wide instructions, which later devices still have
// but which do not feed their tensor cores: its rate is one of each processor, whatever the peak.
// With F FLOPs, d numbers in a head, s queries, P processors:
//   time = 1.1 F (D / d) (1 + 21.5 / D) (1 + 256 / s) / (r P) + 46 n / B
// D = d rounded up to 32; r = 3.27 TFLOP/s forward, 0.9 of it backward, 0.72 of both for heads
// wider than 128. 1.1 and 256 / s are what the causal mask's edge and unequal blocks take. The last
// term is the backward pass's alone: it adds the gradients of n numbers of queries in fp32, by
// atomic additions, between a kernel before and one after it. An Ampere device is slower than that
// by its own peak.
//
// Data: H100's forward pass in figures of Dao-AILab/flash-attention (assets/flash3_fp16_fwd.png)
// and arXiv 2407.08608: head dimensions 64 and 128, 512 to 16,384 tokens, with and without mask,
// met within 4 % from 2,048 tokens on and 18 % below; backward 322 of 370 TFLOP/s (figure 6). 0.9,
// 46 and 0.72: PyTorch 2.11 on an H100, ten shapes of head dimensions 64 to 256 and 2,048 to 32,768
// tokens (calibrate/profiles/h100-sxm.torch.csv). Backward they are met by 6 % in the mean, where
// 0.87 alone was 19 % fast. Eight heads of 8,192 tokens take 16 to 33 % longer than this says.
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
namespace {

constexpr double rate_of_one = 3.27e12;  // FLOP/s of a processor's warp-wide instructions
constexpr int64_t widest_tile = 128;     // a head's numbers that its fast kernels hold
constexpr double summed_bytes = 46;      // moved for each number of the queries' gradients

/// Whether those instructions are what limits it, as on Hopper, and not the device's own peak.
bool limits(const Device& device) {
  const auto peak = device.peak_at(DType::bf16);
  return peak && peak->flops_per_s > rate_of_one * device.processors;
}

}  // namespace

double flash2_seconds(const Work& work, const Device& device, double steady) {
  if (device.processors == 0) return 0;
  const auto [batch, heads, queries, head_dim] = work.shape;
  const double d = static_cast<double>(std::max<int64_t>(head_dim, 1));
  const double padded = static_cast<double>((std::max<int64_t>(head_dim, 1) + 31) / 32 * 32);
  const double s = static_cast<double>(std::max<int64_t>(queries, 1));
  const bool forward = work.direction == Direction::forward;
  const double kept = (forward ? 1 : 0.9) * (head_dim > widest_tile ? 0.72 : 1);
  const double rate = rate_of_one * device.processors * kept * steady;
  const double products =
      1.1 * work.flops * (padded / d) * (1 + 21.5 / padded) * (1 + 256 / s) / rate;
  if (forward || !limits(device)) return products;
  const double numbers = static_cast<double>(batch * heads) * s * d;
  return products + summed_bytes * numbers / device.memory_bandwidth.bytes_per_s;
}

double forerunner(Direction direction) { return direction == Direction::forward ? 1.4 : 2; }

}  // namespace pipewright
