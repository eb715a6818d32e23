// Kernels for tensor cores copy operands 16 bytes at a time. A matrix whose rows are no multiple of
// that goes to kernels that copy less at once, and with rows of odd length to none of them:
//   numbers of 16 bits in a row   a multiple of 8   even                    odd
//   share of the rate             1                 0.67 (Volta: 0.88)      0.24
// Rows are as long as an operand's or the output's last dimension is: n and k of a product forward
// or back to its input, m and n of a weight gradient, whose depth is tokens. Tokens in m lie in
// columns and cost nothing.
//
// Data, all of EleutherAI/cookbook 27dff48d59, sizing/results (that of arXiv 2401.14489):
//   even  torch.mm of 27,648 x 4,096 x k in fp16, k from 64 to 510 by twos, over the line between
//         the multiples of 8 beside it: medians 0.67 on A100, 0.88 on V100. P V of attention on
//         A100 says 0.69, Q K^T 0.80, as it is bound by the scores that it writes
//   odd   Megatron's attention on A100, 128 heads, 73 to 83 numbers wide: an odd width adds 14.6 to
//         15.2 ms to the multiples of 8 where an even one adds 1.9 to 2.4, so 1 / share - 1 is
//         seven times as large. The rate without tensor cores is 0.25 of that with them
// Widths from 65 to 71 lose as much as odd ones there, which this does not say.
//
// Wrong for: AMD's GPUs, which keep 0.98 (MI250X, same source), and TPUs; Hopper and Blackwell, of
// which nothing was found: they are taken to lose what Ampere does, though their newest copies
// cannot do without 16 bytes at all.
#include "cost/alignment.hpp"

#include <algorithm>

#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

constexpr double even_rows = 0.67, even_rows_on_volta = 0.88, odd_rows = 0.24;
constexpr int64_t whole_copy = 8;  // numbers of 16 bits in 16 bytes

double share_of(int64_t row, const Device& device) {
  if (row % whole_copy == 0) return 1;
  if (row % 2 != 0) return odd_rows;
  return device.peak_at(DType::bf16) ? even_rows : even_rows_on_volta;
}

}  // namespace

double aligned_share(const Work& work, const Device& device) {
  const bool half = work.dtype == DType::fp16 || work.dtype == DType::bf16;
  if (work.kernel != Kernel::gemm || !half || device.kind != DeviceKind::gpu) return 1;
  const auto [batch, m, n, k] = work.shape;
  const int64_t other = work.direction == Direction::weight_gradient ? m : k;
  return std::min(share_of(n, device), share_of(other, device));
}

}  // namespace pipewright
