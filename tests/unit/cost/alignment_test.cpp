#include "cost/alignment.hpp"

#include <gtest/gtest.h>

#include "catalogue_devices.hpp"
#include "cost/roofline.hpp"
#include "products.hpp"

namespace pipewright {
namespace {

using test::catalogue_device;
using test::product;

double tera(const Work& work, const Device& device) {
  RooflineConstants constants = roofline_constants();
  constants.steady = 1;
  return work.flops / in_seconds(Roofline(constants).duration(work, device)) / 1e12;
}

// EleutherAI/cookbook, ksweep_low: 27,648 x 4,096 x k. A100: 145 TFLOP/s at k = 470, 227 at 464
// and 222 at 472. V100: 68 and 77 around 480.
TEST(Alignment, rows_that_are_no_multiple_of_16_bytes_lose_what_was_measured) {
  const Device a100 = catalogue_device("a100-sxm-40g"), v100 = catalogue_device("v100-sxm2-16g");
  const auto kept = [](const Device& device, int64_t k) {
    return 2 * tera(product(DType::fp16, 27648, k, 4096), device) /
           (tera(product(DType::fp16, 27648, k - k % 8, 4096), device) +
            tera(product(DType::fp16, 27648, k - k % 8 + 8, 4096), device));
  };
  EXPECT_NEAR(kept(a100, 470), 0.65, 0.05);
  EXPECT_NEAR(kept(v100, 486), 0.88, 0.05);
}

// The same source: 8,192 x n x 14,336 on A100, 74 TFLOP/s at the odd n around 51,200, where 240 is
// the middle of the multiples of 8; 8,192 x 51,200 x k, 72 beside 257 around 14,336.
TEST(Alignment, odd_rows_lose_what_was_measured) {
  const Device a100 = catalogue_device("a100-sxm-80g");
  const double aligned = tera(product(DType::fp16, 8192, 51200, 14336), a100);
  EXPECT_NEAR(tera(product(DType::fp16, 8192, 51201, 14336), a100) / aligned, 74.0 / 240, 0.03);
  EXPECT_NEAR(tera(product(DType::fp16, 8192, 51200, 14337), a100) / aligned, 72.0 / 257, 0.03);
}

TEST(Alignment, widths_of_eights_keep_all_and_odd_ones_the_least) {
  const Device a100 = catalogue_device("a100-sxm-80g");
  EXPECT_EQ(aligned_share(product(DType::fp16, 4096, 4096, 72), a100), 1);
  const double even = aligned_share(product(DType::fp16, 4096, 4096, 74), a100);
  EXPECT_LT(even, 1);
  EXPECT_LT(aligned_share(product(DType::fp16, 4096, 4096, 73), a100), even);
  EXPECT_EQ(aligned_share(product(DType::fp16, 4096, 74, 4096), a100), even) << "the output's rows";
}

// calibrate/profiles/h100-sxm.torch.csv: 4,096 x 4,096 x 4,096 in bf16 with one dimension a little
// longer, beside 8 longer (189.6 us of columns, 204.8 us of depth).
TEST(Alignment, hopper_loses_more) {
  const Device h100 = catalogue_device("h100-sxm");
  const double aligned = tera(product(DType::fp16, 4096, 4104, 4096), h100);
  EXPECT_NEAR(tera(product(DType::fp16, 4096, 4097, 4096), h100) / aligned, 189.6 / 1586.8, 0.03);
  EXPECT_NEAR(tera(product(DType::fp16, 4096, 4098, 4096), h100) / aligned, 189.6 / 529, 0.03);
  EXPECT_NEAR(tera(product(DType::fp16, 4096, 4096, 4097), h100) / aligned, 204.8 / 1084.2, 0.03);
  EXPECT_NEAR(tera(product(DType::fp16, 4096, 4096, 4100), h100) / aligned, 204.8 / 542.6, 0.03);
  EXPECT_EQ(aligned_share(product(DType::fp16, 4097, 4096, 4096), h100), 1) << "tokens";
}

TEST(Alignment, ada_is_as_ampere) {
  EXPECT_EQ(
      aligned_share(product(DType::fp16, 4096, 4098, 4096), catalogue_device("l40s")),
      aligned_share(product(DType::fp16, 4096, 4098, 4096), catalogue_device("a100-sxm-80g")));
}

// Tokens lie in columns: forward in m, in a weight gradient in its depth.
TEST(Alignment, tokens_of_any_number_cost_nothing) {
  const Device a100 = catalogue_device("a100-sxm-80g");
  EXPECT_EQ(aligned_share(product(DType::fp16, 4095, 4096, 4096), a100), 1);
  Work gradient = product(DType::fp16, 4096, 4096, 4095);
  gradient.direction = Direction::weight_gradient;
  EXPECT_EQ(aligned_share(gradient, a100), 1);
  gradient.shape = {1, 4095, 4096, 4096};
  EXPECT_LT(aligned_share(gradient, a100), 1) << "a weight's own width";
}

// The same source: on MI250X widths that are no multiple of 8 keep 0.98.
TEST(Alignment, amd_s_library_loses_nothing) {
  for (const char* device : {"mi250x-gcd", "mi300x", "mi325x", "mi355x"})
    EXPECT_EQ(aligned_share(product(DType::fp16, 4096, 4096, 73), catalogue_device(device)), 1)
        << device;
}

// Nothing is known of other types, kernels and devices.
TEST(Alignment, what_was_not_measured_keeps_its_rate) {
  const Device a100 = catalogue_device("a100-sxm-80g");
  Work other = product(DType::fp16, 4096, 4096, 73);
  other.dtype = DType::fp32;
  EXPECT_EQ(aligned_share(other, a100), 1);
  other.dtype = DType::fp16;
  EXPECT_EQ(aligned_share(other, catalogue_device("vcu129")), 1);
  other.kernel = Kernel::attention;
  EXPECT_EQ(aligned_share(other, a100), 1);
}

// 512 score matrices of 2,048 tokens: heads of 65 numbers take longer than those of 72, which are
// more work.
TEST(Alignment, a_wider_head_may_be_faster) {
  const Device a100 = catalogue_device("a100-sxm-80g");
  Work odd = product(DType::fp16, 2048, 2048, 65), even = product(DType::fp16, 2048, 2048, 72);
  odd.shape[0] = even.shape[0] = 512;
  odd.flops *= 512, even.flops *= 512;
  EXPECT_GT(Roofline().duration(odd, a100), Roofline().duration(even, a100));
}

}  // namespace
}  // namespace pipewright
