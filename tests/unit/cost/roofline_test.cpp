#include "cost/roofline.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "products.hpp"

namespace pipewright {
namespace {

using test::error_of;
using test::product;

Device device(const char* name, double peak, double bandwidth, double watts, int processors,
              int64_t launch_ns) {
  Device d;
  d.name = name;
  d.peak[static_cast<size_t>(DType::bf16)] = FlopRate{peak};
  d.memory_bandwidth = {bandwidth};
  d.operating.watts = watts;
  d.processors = processors;
  d.launch_overhead = nanoseconds(launch_ns);
  return d;
}

const Device a100 = device("a100", 312e12, 2.039e12, 400, 108, 2850);
const Device h100 = device("h100", 989e12, 3.35e12, 700, 132, 2610);
const Device b200 = device("b200", 2250e12, 8e12, 1000, 148, 1740);

/// As a benchmark of milliseconds measures it.
double predicted(const Work& work, const Device& d) {
  RooflineConstants constants = roofline_constants();
  constants.steady = 1;
  return in_seconds(Roofline(constants).duration(work, d));
}

struct Measured {
  int64_t m, n, k;
  double a100, h100, b200;  ///< seconds
};

// Forward products in bf16, medians: github.com/ai-dynamo/aiconfigurator 095f58a (Apache-2.0).
const Measured measured[] = {
    {128, 8192, 8192, 122.2e-6, 52.07e-6, 29.68e-6},
    {256, 4096, 4096, 54.43e-6, 18.71e-6, 10.52e-6},
    {1024, 1024, 1024, 17.89e-6, 6.100e-6, 4.560e-6},
    {2048, 12288, 3072, 616.4e-6, 208.5e-6, 101.6e-6},
    {2048, 65536, 1536, 1573e-6, 553.4e-6, 258.5e-6},
    {4096, 3072, 4096, 407.5e-6, 138.4e-6, 68.31e-6},
    {8192, 5120, 5120, 1678e-6, 539.4e-6, 283.9e-6},
    {8192, 7168, 8192, 3341e-6, 1172.9e-6, 723.0e-6},
};

TEST(Roofline, products_take_the_measured_time_within_a_third) {
  for (const Measured& point : measured) {
    const Work work = product(DType::bf16, point.m, point.n, point.k);
    EXPECT_NEAR(predicted(work, a100) / point.a100, 1, 0.33) << point.m << ' ' << point.n;
    EXPECT_NEAR(predicted(work, h100) / point.h100, 1, 0.33) << point.m << ' ' << point.n;
    EXPECT_NEAR(predicted(work, b200) / point.b200, 1, 0.33) << point.m << ' ' << point.n;
  }
}

TEST(Roofline, products_of_transformers_take_it_within_a_tenth_on_average) {
  double sum = 0;
  int count = 0;
  for (const Measured& point : measured) {
    if (point.m < 2048) continue;
    const Work work = product(DType::bf16, point.m, point.n, point.k);
    for (const double error :
         {predicted(work, a100) / point.a100, predicted(work, h100) / point.h100,
          predicted(work, b200) / point.b200})
      sum += std::abs(error - 1), ++count;
  }
  EXPECT_LT(sum / count, 0.1);
}

Work causal_attention(double batch, double heads, double tokens, double head_dim) {
  return {.kernel = Kernel::attention,
          .dtype = DType::bf16,
          .flops = 4 * batch * heads * head_dim * tokens * (tokens + 1) / 2,
          .read = Bytes{static_cast<int64_t>(6 * batch * heads * head_dim * tokens)},
          .written = Bytes{static_cast<int64_t>(2 * batch * heads * head_dim * tokens)},
          .shape = {static_cast<int64_t>(batch), static_cast<int64_t>(heads),
                    static_cast<int64_t>(tokens), static_cast<int64_t>(head_dim)}};
}

TEST(Roofline, attention_takes_the_measured_time_within_a_fifth) {
  // The same source: batch 1, 8192 tokens, 32 heads of 128. Its kernels also copy keys and values.
  const Work work = causal_attention(1, 32, 8192, 128);
  EXPECT_NEAR(predicted(work, a100) / 3.120e-3, 1, 0.2);
  EXPECT_NEAR(predicted(work, h100) / 1.0845e-3, 1, 0.2);
  EXPECT_NEAR(predicted(work, b200) / 563.7e-6, 1, 0.2);
}

TEST(Roofline, attention_backward_reaches_what_flash_attention_2_does) {
  // A100, causal, d = 128, 16384 tokens, 16 heads: forward and backward together 189 TFLOP/s of
  // 3.5 x 4 b a s^2 d / 2 (the figure in its repository).
  Work forward = causal_attention(1, 16, 16384, 128), backward = forward;
  backward.flops *= 2.5;
  const double both = predicted(forward, a100) + predicted(backward, a100);
  EXPECT_NEAR(3.5 * forward.flops / both / 189e12, 1, 0.1);
}

TEST(Roofline, streams_reach_the_measured_copy_bandwidth) {
  // stas00/ml-engineering: A100 80 GB copies at 1.61 TB/s, H100 at 2.9 TB/s.
  const Work copy{.kernel = Kernel::elementwise, .read = GiB * 4, .written = GiB * 4};
  const double bytes = 8.0 * static_cast<double>(GiB.count);
  EXPECT_NEAR(bytes / predicted(copy, a100) / 1.61e12, 1, 0.1);
  EXPECT_NEAR(bytes / predicted(copy, h100) / 2.9e12, 1, 0.1);
}

// A scan runs in fp32 beside the matrix units: 67 TFLOP/s of an H100 SXM's data sheet.
TEST(Roofline, a_scan_is_bound_by_its_flops) {
  Device d = h100;
  d.peak[static_cast<size_t>(DType::fp32)] = FlopRate{67e12};
  Work scan{.kernel = Kernel::elementwise, .dtype = DType::fp32, .read = Bytes{1 << 20}};
  const double streamed = predicted(scan, d);
  scan.flops = 67e9;
  EXPECT_NEAR(predicted(scan, d), 1e-3 + in_seconds(d.launch_overhead), 1e-6);
  scan.dtype = DType::bf16;
  scan.flops = 1;
  EXPECT_DOUBLE_EQ(predicted(scan, d), streamed);
}

TEST(Roofline, a_long_run_is_slower_than_a_benchmark_by_the_steady_fraction) {
  const Work work = product(DType::bf16, 8192, 8192, 8192);
  const double launch = in_seconds(a100.launch_overhead);
  const double steady = in_seconds(Roofline().duration(work, a100)) - launch;
  EXPECT_NEAR((predicted(work, a100) - launch) / steady, steady_fraction, 0.005);
}

TEST(Roofline, a_weight_gradient_takes_longer_than_the_forward_product_of_its_shape) {
  Work gradient = product(DType::bf16, 8192, 8192, 8192);
  const double forward = predicted(gradient, b200);
  gradient.direction = Direction::weight_gradient;
  EXPECT_NEAR(forward / predicted(gradient, b200), 0.93, 0.02);
}

TEST(Roofline, a_kernel_is_never_shorter_than_its_launch) {
  const Work tiny{.kernel = Kernel::norm, .read = Bytes{64}, .written = Bytes{64}};
  EXPECT_GE(Roofline().duration(tiny, a100), nanoseconds(2850));
}

TEST(Roofline, a_device_of_few_numbers_runs_at_a_plain_fraction_of_its_peak) {
  // No power, no processors, no bandwidth given: 0.8 of 100 TFLOP/s.
  Device plain = device("plain", 100e12, std::numeric_limits<double>::infinity(), 0, 0, 0);
  EXPECT_NEAR(predicted(product(DType::bf16, 1000, 1000, 1000), plain), 2e9 / 80e12, 1e-12);
}

// A P100 feeds 10.6 TFLOP/s from 732 GB/s, 14.5 FLOPs a byte: tiles of 128 x 128 fp32 numbers, 32
// FLOPs a byte, want nothing. 56 x 40 of them on 56 processors are 40 whole waves, which leaves
// writing them out, 0.75 of their bytes' time.
TEST(Roofline, memory_feeds_a_device_without_matrix_units) {
  Device p100 = device("p100", 21.2e12, 732e9, 300, 56, 0);
  p100.peak[static_cast<size_t>(DType::fp32)] = FlopRate{10.6e12};
  const int64_t m = 128 * 56, n = 128 * 40, k = 4096;
  Work work = product(DType::bf16, m, n, k);
  work.dtype = DType::fp32;
  work.written = Bytes{4 * m * n};
  const double written = 0.75 * 4 * static_cast<double>(m * n) / 732e9;
  EXPECT_NEAR(predicted(work, p100), work.flops / (0.93 * 10.6e12) + written, 1e-4 * written);
}

TEST(Roofline, less_power_for_the_same_peak_is_slower) {
  Device capped = h100;
  capped.operating.watts = 500;
  EXPECT_LT(sustained_fraction(capped, DType::bf16, roofline_constants()),
            sustained_fraction(h100, DType::bf16, roofline_constants()));
}

// Shares of the peak at 1350 MHz on a V100: triton-lang/triton,
// python/test/regression/test_performance.py, whose kernels are on par with cuBLAS.
TEST(Roofline, volta_reaches_what_its_products_were_measured_to_reach) {
  constexpr double peak = 80 * 8 * 128 * 1350e6;
  Device v100 = device("v100", peak, 900e9, 0, 80, 4000);
  v100.operating.watts = 300;
  v100.reached[static_cast<size_t>(DType::bf16)] = 0.87;
  for (const auto& [size, share] : {std::pair{2048, 0.695}, {4096, 0.831}, {8192, 0.849}}) {
    const Work work = product(DType::bf16, size, size, size);
    EXPECT_NEAR(work.flops / predicted(work, v100) / peak / share, 1, 0.05) << size;
  }
}

TEST(Roofline, a_device_reaches_no_more_than_it_says) {
  Device less = h100;
  const RooflineConstants constants = roofline_constants();
  less.reached[static_cast<size_t>(DType::bf16)] = 0.4;
  EXPECT_DOUBLE_EQ(sustained_fraction(less, DType::bf16, constants), 0.4 * constants.steady);
  less.reached[static_cast<size_t>(DType::bf16)] = 1;
  EXPECT_DOUBLE_EQ(sustained_fraction(less, DType::bf16, constants),
                   sustained_fraction(h100, DType::bf16, constants))
      << "power leaves less";
}

TEST(Roofline, a_peak_that_is_missing_is_named_with_those_there_are) {
  EXPECT_EQ(error_of([] { peak_for(a100, DType::fp8); }),
            "error: device 'a100' has no peak for the precision fp8; it has bf16");
}

TEST(Roofline, a_fixed_time_is_taken_as_it_stands) {
  const Work fixed{.fixed = milliseconds(3)};
  EXPECT_EQ(Roofline().duration(fixed, a100), milliseconds(3));
  EXPECT_EQ(ConstantCost().duration(fixed, Device{}), milliseconds(3));
}

// Casts to fp32 by PyTorch 2.11: of 2^27 numbers on an H100, of 2^25 on an H200, whose memory is
// 1.4 times as fast (calibrate/profiles/h100-sxm.torch.csv and a trace of 2026-11-27).
TEST(Roofline, numbers_without_vector_loads_take_as_long_whatever_the_memory) {
  const auto cast = [](int64_t numbers) {
    return Work{.kernel = Kernel::elementwise,
                .read = Bytes{2 * numbers},
                .written = Bytes{4 * numbers},
                .singles = static_cast<double>(numbers)};
  };
  Device h200 = h100;
  h200.memory_bandwidth = {4.8e12};
  EXPECT_NEAR(predicted(cast(int64_t{1} << 27), h100), 408.8e-6, 5e-6);
  EXPECT_NEAR(predicted(cast(int64_t{1} << 25), h200), 99.7e-6, 6e-6);
  EXPECT_NEAR(predicted(cast(int64_t{1} << 25), h200), predicted(cast(int64_t{1} << 25), h100),
              1e-11);
}

}  // namespace
}  // namespace pipewright
