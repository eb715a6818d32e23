// Kernels for tensor cores copy operands 16 bytes at a time. A matrix whose rows are no multiple of
// that goes to kernels that copy less at once:
//   numbers of 16 bits in a row   a multiple of 8   even                    odd
//   share of the rate             1                 0.67 (Volta: 0.88)      0.3
// Rows are as long as an operand's or the output's last dimension is: n and k of a product forward
// or back to its input, m and n of a weight gradient, whose depth is tokens. Tokens in m lie in
// columns and cost nothing.
//
// Data, all of EleutherAI/cookbook 27dff48d59, sizing/results (that of arXiv 2401.14489), fp16:
//   depth    torch.mm of 27,648 x 4,096 x k, k from 64 to 510 by twos, over the line between the
//            multiples of 8 beside it: medians 0.67 on A100, 0.88 on V100. 8,192 x 51,200 x k on
//            A100, k from 14,272 to 14,400: 257 TFLOP/s at multiples of 8, 173 at even, 72 at odd k
//   columns  8,192 x n x 14,336 on A100, n from 51,136 to 51,264: 227 to 256, 139, 74 TFLOP/s
//   batches  P V of attention on A100 says 0.69, Q K^T 0.80 as it is bound by the scores that it
//            writes, both of even widths
// Multiples of 8 lose nothing beside those of 64 in depth, and up to a tenth in columns (227
// TFLOP/s where those of 16 reach 252), which is left out. It was not fitted to this: Megatron's
// attention on A100, 128 heads, takes 15 ms more at the odd widths from 73 to 83 than beside them,
// and 2 ms more at the even ones. At widths from 65 to 71 even ones lose as much as odd ones, which
// this does not say.
//
// Hopper's copies move 16 bytes or more. Rows of other lengths go to the kernels of Ampere, whose
// warp-wide instructions run at a third of the rate:
//   numbers of 16 bits in a row   a multiple of 8   even    odd
//   share of the rate             1                 0.36    0.19 in depth, 0.13 in the output's
//   rows
// Data: PyTorch 2.11 with cuBLAS 13.0 on an H100 (calibrate/profiles/h100-sxm.torch.csv), bf16,
// 4,096 x 4,096 x 4,096 with one of them 1, 2 or 4 more, beside 8 more: columns 0.119, 0.358 and
// 0.333, depth 0.189, 0.377 and 0.377. 8,192 x n x 2,048: 50,257 columns 0.14 of the rate of
// 50,264, 50,258 0.37. Scores of 64 heads, which the memory bounds at aligned widths, lose a half
// at even widths from 76 to 126 and two thirds at odd ones. Blackwell is taken to be like Hopper.
//
// The rule is NVIDIA's library's. AMD's keeps 0.98 (MI250X, same source), which is taken for all;
// of XLA's on TPUs nothing was found. A device says whose it runs (`library`).
#include "cost/alignment.hpp"

#include <algorithm>

#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

constexpr int64_t whole_copy = 8;  // numbers of 16 bits in 16 bytes

/// The share of the rate that rows of an even and of an odd number of numbers keep.
struct Shares {
  double even, odd_depth, odd_output;
};
constexpr Shares volta{0.88, 0.3, 0.3}, ampere{0.67, 0.3, 0.3}, hopper{0.36, 0.19, 0.13};

/// Ada has fp8 as Hopper and Blackwell have, but neither their copies nor their memory.
bool is_hopper_or_later(const Device& device) {
  constexpr double more_than_ada = 1.5e12;
  return device.peak_at(DType::fp8) && device.memory_bandwidth.bytes_per_s > more_than_ada;
}

const Shares& shares_of(const Device& device) {
  if (is_hopper_or_later(device)) return hopper;
  return device.peak_at(DType::bf16) ? ampere : volta;
}

double share_of(int64_t row, double even, double odd) {
  if (row % whole_copy == 0) return 1;
  return row % 2 == 0 ? even : odd;
}

}  // namespace

double aligned_share(const Work& work, const Device& device) {
  const bool half = work.dtype == DType::fp16 || work.dtype == DType::bf16;
  if (work.kernel != Kernel::gemm || !half || device.kind != DeviceKind::gpu) return 1;
  if (device.library != MatrixLibrary::cublas) return 1;
  const auto [batch, m, n, k] = work.shape;
  const int64_t other = work.direction == Direction::weight_gradient ? m : k;
  const Shares& shares = shares_of(device);
  return std::min(share_of(n, shares.even, shares.odd_output),
                  share_of(other, shares.even, shares.odd_depth));
}

}  // namespace pipewright
