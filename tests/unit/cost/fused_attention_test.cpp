// Fused attention of training, held against times of cuDNN on an H100
// (calibrate/profiles/h100-sxm.torch.csv and, of another release of cuDNN, h100-sxm.calibrate.csv),
// and against FlashAttention-2 on an A100.
#include "cost/fused_attention.hpp"

#include <gtest/gtest.h>

#include "catalogue_devices.hpp"
#include "cost/profile_cost.hpp"

namespace pipewright {
namespace {

using test::catalogue_device;
using test::compiled_in;

Profile profile(const char* device = "h100-sxm") {
  return *profile_of(catalogue_device(device), compiled_in());
}

struct Shape {
  int64_t batch, heads, tokens, head_dim;
};

/// Causal attention of as many key heads as query heads.
Work attention(const Shape& s, Direction direction = Direction::forward) {
  const double forward = 2.0 * static_cast<double>(s.batch * s.heads * s.head_dim) *
                         static_cast<double>(s.tokens) * static_cast<double>(s.tokens + 1);
  const int64_t numbers = s.batch * s.heads * s.tokens * s.head_dim;
  return {.kernel = Kernel::attention,
          .dtype = DType::bf16,
          .direction = direction,
          .flops = direction == Direction::forward ? forward : 2.5 * forward,
          .read = {6 * numbers},
          .written = {2 * numbers},
          .shape = {s.batch, s.heads, s.tokens, s.head_dim}};
}

/// Microseconds as in a benchmark: at the rate that a burst keeps.
double burst(const Shape& shape, Direction direction, const char* device = "h100-sxm") {
  const Work work = attention(shape, direction);
  FusedAttentionConstants constants = profile(device).fused(work)->constants;
  constants.steady = 1;
  return fused_attention_seconds(work, catalogue_device(device), constants, 1) * 1e6;
}

/// TFLOP/s of both passes of FlashAttention-2 on an A100, in a burst.
double flash2_on_a100(const Shape& shape) {
  const double flops = attention(shape).flops * 3.5;
  return flops * 1e-6 /
         (burst(shape, Direction::forward, "a100-sxm-80g") +
          burst(shape, Direction::input_gradient, "a100-sxm-80g"));
}

TEST(FusedAttention, meets_what_was_measured_forward) {
  EXPECT_NEAR(burst({8, 16, 2048, 64}, Direction::forward) / 181.1, 1, 0.1);
  EXPECT_NEAR(burst({4, 32, 2048, 80}, Direction::forward) / 244.5, 1, 0.1);
  EXPECT_NEAR(burst({4, 32, 2048, 128}, Direction::forward) / 257.6, 1, 0.1);
  EXPECT_NEAR(burst({1, 32, 8192, 128}, Direction::forward) / 889.4, 1, 0.05);
  EXPECT_NEAR(burst({1, 16, 4096, 256}, Direction::forward) / 259.8, 1, 0.1);
}

TEST(FusedAttention, meets_what_was_measured_backward) {
  EXPECT_NEAR(burst({8, 16, 2048, 64}, Direction::input_gradient) / 565.1, 1, 0.1);
  EXPECT_NEAR(burst({4, 32, 2048, 128}, Direction::input_gradient) / 884.8, 1, 0.15);
  EXPECT_NEAR(burst({1, 32, 8192, 128}, Direction::input_gradient) / 3043.7, 1, 0.1);
  EXPECT_NEAR(burst({1, 16, 4096, 256}, Direction::input_gradient) / 1023.4, 1, 0.1);
}

TEST(FusedAttention, meets_another_release) {
  EXPECT_NEAR(burst({1, 16, 4096, 128}, Direction::forward) / 147.8, 1, 0.05);
  EXPECT_NEAR(burst({1, 16, 4096, 128}, Direction::input_gradient) / 446.1, 1, 0.05);
}

// Azure's benchmark of ND A100 v4 (Azure_Results/ND_A100_v4_results.md), which no fit was given and
// which does not say its mask, and two bars of the figure that it was given.
TEST(FusedAttention, meets_flash_attention_2_on_an_a100) {
  EXPECT_NEAR(flash2_on_a100({2, 32, 8192, 64}) / 179.5, 1, 0.1);
  EXPECT_NEAR(flash2_on_a100({1, 16, 16384, 128}) / 189, 1, 0.03);
  EXPECT_NEAR(flash2_on_a100({1, 32, 16384, 64}) / 171, 1, 0.03);
}

// Of an A100's 312 TFLOP/s its authors reach 73 % forward and 63 % backward at the most (arXiv
// 2307.08691, section 4.1).
TEST(FusedAttention, of_an_a100_stays_below_what_its_authors_reach) {
  for (const int64_t tokens : {512, 2048, 8192, 32768})
    for (const int64_t width : {64, 128}) {
      const Shape shape{1, 4096 / width, tokens, width};
      const double flops = attention(shape).flops * 1e-6;
      EXPECT_LT(flops / burst(shape, Direction::forward, "a100-sxm-80g"), 0.73 * 312);
      EXPECT_LT(2.5 * flops / burst(shape, Direction::input_gradient, "a100-sxm-80g"), 0.63 * 312);
    }
}

TEST(FusedAttention, is_no_faster_for_more_tokens_heads_or_wider_ones) {
  for (const Direction direction : {Direction::forward, Direction::input_gradient})
    for (const int64_t tokens : {128, 1024, 8192})
      for (const int64_t heads : {1, 8, 64})
        for (const int64_t width : {32, 64, 100, 128}) {
          const double time = burst({1, heads, tokens, width}, direction);
          EXPECT_GE(burst({1, heads, 2 * tokens, width}, direction), time);
          EXPECT_GE(burst({1, 2 * heads, tokens, width}, direction), time);
          EXPECT_GE(burst({1, heads, tokens, width + 32}, direction), time);
        }
}

// Twice the pairs of a causal mask over the same queries: less than twice the time.
TEST(FusedAttention, without_a_mask_takes_less_than_twice_as_long) {
  for (const Direction direction : {Direction::forward, Direction::input_gradient}) {
    const Work masked = attention({4, 16, 1024, 64}, direction);
    Work whole = masked;
    whole.flops *= 2;
    const FusedAttentionConstants constants = profile().fused(masked)->constants;
    const auto seconds_of = [&](const Work& work) {
      return fused_attention_seconds(work, catalogue_device("h100-sxm"), constants, 1);
    };
    EXPECT_GT(seconds_of(whole), seconds_of(masked));
    EXPECT_LT(seconds_of(whole), 1.9 * seconds_of(masked));
  }
}

TEST(FusedAttention, of_training_takes_the_place_of_the_benchmark_s) {
  const Work work = attention({1, 32, 8192, 128});
  const ProfileCost cost(profile());
  const double seconds = in_seconds(cost.duration(work, catalogue_device("h100-sxm")));
  EXPECT_NEAR(seconds * 1e6, 1042, 0.05 * 1042) << "as it ran in layers of a Llama for seconds";
  EXPECT_EQ(cost.trust(work, catalogue_device("h100-sxm")).basis, Basis::measured);
  EXPECT_EQ(cost.trust(attention({1, 32, 65536, 128}), catalogue_device("h100-sxm")).basis,
            Basis::extrapolated);
}

TEST(FusedAttention, is_in_proportion_to_the_rate_of_another_device) {
  const Work work = attention({1, 32, 8192, 128});
  const ProfileCost cost(profile());
  Device half = catalogue_device("h100-sxm");
  half.name = "half";
  for (auto& peak : half.peak)
    if (peak) peak->flops_per_s /= 2;
  half.operating.watts /= 2;
  half.launch_overhead = {};
  Device whole = catalogue_device("h100-sxm");
  whole.launch_overhead = {};
  EXPECT_NEAR(in_seconds(cost.duration(work, half)) / in_seconds(cost.duration(work, whole)), 2,
              1e-6);
}

}  // namespace
}  // namespace pipewright
