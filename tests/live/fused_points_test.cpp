// Which kernels of cuDNN and products in fp8 are measured, and what becomes of their times.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "calibrate/measure/bench.hpp"
#include "calibrate/measure/point_work.hpp"
#include "calibrate/measure/profile.hpp"
#include "calibrate/measure/sweep.hpp"

namespace pipewright::calibration {
namespace {

constexpr Direction forward = Direction::forward, backward = Direction::input_gradient;

int64_t count(const std::vector<Point>& points, std::string_view kernel, DType dtype) {
  return std::count_if(points.begin(), points.end(), [&](const Point& point) {
    return point.kernel == kernel && point.dtype == dtype;
  });
}

TEST(FusedPoints, are_in_the_general_sweep_where_they_can_be_measured) {
  const std::vector<Point> all = general_sweep({.gpu = true, .fp8 = true, .cudnn = true});
  EXPECT_GT(count(all, "gemm", DType::fp8), 0);
  EXPECT_GT(count(all, "convolution", DType::bf16), 0);
  EXPECT_GT(count(all, "attention_grouped", DType::bf16), 0);
  // Both directions of attention of one head a key; enough forward shapes for a fit (8).
  EXPECT_GE(count(all, "attention", DType::bf16), 2 * 8);
  for (const Point& point : all) {
    const bool narrow = point.dtype == DType::fp8;
    EXPECT_TRUE(!narrow || std::all_of(point.sizes.begin(), point.sizes.end(), [](int64_t size) {
      return size % 16 == 0;
    })) << to_text(point);
  }

  const std::vector<Point> older = general_sweep({.gpu = true});
  EXPECT_EQ(count(older, "gemm", DType::fp8), 0);
  EXPECT_EQ(count(older, "convolution", DType::bf16), 0);
  EXPECT_EQ(count(older, "attention", DType::bf16), 0);
  EXPECT_GT(count(older, "attention", DType::fp32), 0) << "by kernels of our own";
}

// A line wants five sizes; norms begin where rows are full.
TEST(StreamingPoints, are_of_enough_sizes_for_a_line_of_every_kind) {
  for (const bool gpu : {false, true}) {
    std::map<std::pair<Kernel, bool>, std::set<int64_t>> sizes;
    for (const Point& point : general_sweep({.gpu = gpu, .quick = true}))
      if (const std::optional<Work> work = work_of(point); work && work->flops == 0)
        sizes[{work->kernel, work->direction != forward}].insert(
            (work->read + work->written).count);
    EXPECT_EQ(sizes.size(), 2u + 2 + 1 + 1) << "norms and elementwise in two passes, Adam, copies";
    for (const auto& [kind, some] : sizes) EXPECT_GE(some.size(), 5u) << int(kind.first);
  }
}

// 2 sequences of 128 tokens, 8 heads of 64 numbers on 2 heads of keys, in bf16: queries of 262144
// bytes, keys and values of 65536 each. The gradient reads three of the queries' size and those.
TEST(FusedPoints, of_a_program_know_the_heads_of_its_keys) {
  constexpr int64_t queries = 262144, keys = 65536;
  Program program;
  program.works = {{.kernel = Kernel::attention,
                    .dtype = DType::bf16,
                    .read = {queries + 2 * keys},
                    .shape = {2, 8, 128, 64}},
                   {.kernel = Kernel::attention,
                    .dtype = DType::bf16,
                    .direction = backward,
                    .read = {3 * queries + 2 * keys},
                    .shape = {2, 8, 128, 64}}};
  const auto attention_of = [&](const SweepOptions& options) {
    std::set<Point> points;
    for (const Point& point : sweep_for(program, options))
      if (point.kernel.starts_with("attention")) points.insert(point);
    return points;
  };
  EXPECT_EQ(attention_of({.gpu = true, .cudnn = true}),
            (std::set<Point>{
                {"attention_grouped", forward, DType::bf16, {2, 128, 8, 2, 64}},
                {"attention_grouped", backward, DType::bf16, {2, 128, 8, 2, 64}},
            }));
  EXPECT_EQ(attention_of({.gpu = true}), (std::set<Point>{
                                             {"attention", forward, DType::fp32, {2, 128, 8, 64}},
                                             {"attention", backward, DType::fp32, {2, 128, 8, 64}},
                                         }));
}

// An image of 8 x 8 places and 16 channels to 32 filters of 3 x 3, every second place: 4 x 4
// places, each 2 x 32 x 144 FLOPs. In bf16 2048 bytes are read of the image, 9216 of filters, 1024
// written.
TEST(FusedPoints, a_convolution_is_a_product_over_windows) {
  const Point point{"convolution", forward, DType::bf16, {1, 8, 8, 16, 32, 3, 2}};
  const Work work = *work_of(point);
  EXPECT_EQ(work.shape, (std::array<int64_t, 4>{1, 16, 32, 144}));
  EXPECT_EQ(work.flops, 16.0 * 2 * 32 * 144);
  EXPECT_EQ(work.read.count, 2048 + 9216);
  EXPECT_EQ(work.written.count, 1024);
  const Work gradient =
      *work_of({"convolution", Direction::weight_gradient, DType::bf16, {1, 8, 8, 16, 32, 3, 2}});
  EXPECT_EQ(gradient.flops, work.flops);
  EXPECT_EQ(gradient.read.count, 2048 + 1024);
  EXPECT_EQ(gradient.written.count, 9216);
}

TEST(FusedPoints, are_written_and_read_back) {
  Measured measured{.point = {"attention_grouped", backward, DType::bf16, {1, 512, 32, 8, 128}},
                    .median_s = 1e-3,
                    .p10_s = 1e-3,
                    .p90_s = 1e-3,
                    .repetitions = 5};
  const std::vector<Measured> read = read_csv(csv_header() + csv_line(measured), "x.csv");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].point, measured.point);
}

TEST(FusedPoints, a_cpu_says_that_it_has_none) {
  const auto bench = cpu_bench();
  EXPECT_EQ(bench->why_no_cudnn(), "cuDNN runs on GPUs");
  EXPECT_THROW(bench->prepare({"convolution", forward, DType::bf16, {1, 8, 8, 16, 32, 3, 1}}),
               Failure);
}

// Attention at 60 % of 100 TFLOP/s and 5 us: the profile has a family that finds these times again,
// and cuDNN's gradients, at 0.8 of the rate, not those of our own kernels in fp32.
TEST(FusedPoints, become_the_profile_s_attention) {
  Device device{.name = "ideal", .memory_bandwidth = Bandwidth{2e12}, .processors = 100};
  device.peak[static_cast<size_t>(DType::bf16)] = FlopRate{100e12};
  std::vector<Measured> measured;
  const auto add = [&](const Point& point, double s) {
    Measured m = summarise({s, s, s});
    m.point = point;
    measured.push_back(m);
  };
  for (const int64_t n : {1024, 2048, 4096})
    for (const int64_t k : {1024, 2048, 4096})
      for (const int64_t m : {512, 1024, 4096})
        add({"gemm", forward, DType::bf16, {m, n, k}},
            5e-6 + 2.0 * double(m) * double(n) * double(k) / 70e12);
  for (const int64_t sequences : {1, 4})
    for (const int64_t tokens : {512, 1024, 2048, 4096, 8192}) {
      const double flops = 2.0 * double(sequences) * 16 * 128 * double(tokens) * double(tokens + 1);
      add({"attention", forward, DType::bf16, {sequences, tokens, 16, 128}}, flops / 60e12);
      add({"attention", backward, DType::bf16, {sequences, tokens, 16, 128}}, 2.5 * flops / 48e12);
      add({"attention", forward, DType::fp32, {sequences, tokens, 16, 128}}, flops / 10e12);
      add({"attention", backward, DType::fp32, {sequences, tokens, 16, 128}}, 2.5 * flops / 20e12);
    }
  const Profile profile = fit_profile(device, measured);
  ASSERT_TRUE(profile.attention);
  EXPECT_EQ(profile.attention->model.points().count(), 10);
  const std::array<int64_t, 5> sizes = {4, 16, 16, 128, 4096};
  const double expected = 2.0 * 4 * 16 * 128 * 4096.0 * 4097 / 60e12;
  EXPECT_NEAR(attention_seconds(causal_forward(sizes), device, DType::bf16,
                                profile.attention->model.constants()) *
                  profile.attention->model.factor(sizes).seconds,
              expected, 0.1 * expected);
  EXPECT_NEAR(*attention_backward(measured), 0.8, 1e-9);
}

}  // namespace
}  // namespace pipewright::calibration
