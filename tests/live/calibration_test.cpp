#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "calibrate/measure/profile.hpp"
#include "calibrate/measure/run.hpp"
#include "calibrate/measure/sampler.hpp"
#include "calibrate/measure/sweep.hpp"

namespace pipewright::calibration {
namespace {

TEST(Sampler, a_steady_kernel_is_believed_after_a_few_samples) {
  int runs = 0;
  const Measured m = sample(
      [&](int calls) {
        ++runs;
        return 2e-3 * calls;
      },
      {.sample_s = 1e-3, .least_samples = 7});
  EXPECT_DOUBLE_EQ(m.median_s, 2e-3);
  EXPECT_EQ(m.repetitions, 7);
  EXPECT_TRUE(m.steady);
  EXPECT_LE(runs, 7 + 3);  // warming up takes no more
}

TEST(Sampler, short_kernels_are_called_many_times_in_a_sample) {
  int most = 0;
  const Measured m = sample(
      [&](int calls) {
        most = std::max(most, calls);
        return 1e-7 * calls;
      },
      {.sample_s = 1e-4});
  EXPECT_GE(most, 1000);
  EXPECT_NEAR(m.median_s, 1e-7, 1e-16);
}

// A kernel that takes 1 ms or 2 ms by turns never gets steady.
TEST(Sampler, an_unsteady_kernel_ends_with_its_time_and_says_so) {
  double spent = 0;
  bool slow = false;
  const Measured m = sample(
      [&](int calls) {
        slow = !slow;
        const double took = (slow ? 2e-3 : 1e-3) * calls;
        spent += took;
        return took;
      },
      {.sample_s = 1e-3, .enough = 0.001, .most_s = 0.1});
  EXPECT_FALSE(m.steady);
  EXPECT_GE(spent, 0.1);
  EXPECT_LE(spent, 0.1 + 2e-3 + 1e-9);
}

TEST(Sampler, what_is_far_from_the_median_is_thrown_away_and_counted) {
  const Measured m = summarise({1.00, 1.01, 0.99, 1.00, 1.02, 0.98, 5.0});
  EXPECT_EQ(m.outliers, 1);
  EXPECT_EQ(m.repetitions, 6);
  EXPECT_DOUBLE_EQ(m.median_s, 1.0);
  EXPECT_LT(m.p90_s, 1.03);
}

TEST(Csv, what_is_written_is_read_back) {
  Measured m = summarise({1e-3, 1e-3, 1e-3});
  m.point = {"gemm", Direction::weight_gradient, DType::bf16, {512, 256, 128}};
  m.steady = true;
  Measured launch = summarise({2e-6});
  launch.point = {"launch", Direction::forward, DType::fp32, {}};
  const std::vector<Measured> read =
      read_csv(csv_header() + csv_line(m) + csv_line(launch), "x.csv");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].point, m.point);
  EXPECT_DOUBLE_EQ(read[0].median_s, 1e-3);
  EXPECT_EQ(read[0].repetitions, 3);
  EXPECT_TRUE(read[0].steady);
  EXPECT_EQ(read[1].point, launch.point);
}

// An interrupted run leaves half a line; that point is measured again.
TEST(Csv, a_line_without_its_end_is_left_out) {
  Measured m = summarise({1e-3});
  m.point = {"copy", Direction::forward, DType::fp32, {1024}};
  const std::string line = csv_line(m);
  EXPECT_EQ(read_csv(csv_header() + line + line.substr(0, 20), "x.csv").size(), 1u);
}

TEST(Csv, what_is_wrong_is_named_with_its_line) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      read_csv(text, "x.csv");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("m,n,k\n"), "x.csv:1:1: error: not a file of measured kernels: another header");
  EXPECT_EQ(message(csv_header() + "gemm,forward,fp32,m=1 n=2,1,1,1,1,0,yes\n"),
            "x.csv:2:1: error: the shape must be m=... n=... k=...");
  EXPECT_EQ(message(csv_header() + "sort,forward,fp32,m=1,1,1,1,1,0,yes\n"),
            "x.csv:2:1: error: 'sort' is no kernel that is measured");
  EXPECT_EQ(message(csv_header() + "copy,forward,fp32,elements=4,-1,1,1,1,0,yes\n"),
            "x.csv:2:1: error: '-1' must be a time in seconds");
}

TEST(Sweep, is_measured_in_any_order_but_leaves_out_what_is_known) {
  const auto bench = cpu_bench();
  std::vector<Point> points;
  for (const int64_t elements : {16, 32, 64, 128})
    points.push_back({"add", Direction::forward, DType::fp32, {elements}});
  points.push_back({"launch", Direction::forward, DType::fp32, {}});
  std::vector<Measured> known(1);
  known[0].point = points[2];
  std::vector<Point> seen;
  const size_t left = run_sweep(*bench, points, known, {.sampler = {.most_s = 0.01}, .most_s = 10},
                                [&](const Measured& m, const Progress& progress) {
                                  seen.push_back(m.point);
                                  EXPECT_EQ(progress.done, seen.size());
                                  EXPECT_EQ(progress.all, 4u);
                                  EXPECT_GT(m.median_s, 0);
                                });
  EXPECT_EQ(left, 0u);
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen.front(), points[4]) << "what every profile needs comes first";
  EXPECT_EQ(std::count(seen.begin(), seen.end(), points[2]), 0);
}

TEST(Sweep, ends_when_its_time_is_up_and_says_how_much_is_left) {
  const auto bench = cpu_bench();
  std::vector<Point> points;
  for (int64_t elements = 1; elements <= 20; ++elements)
    points.push_back({"copy", Direction::forward, DType::fp32, {elements}});
  size_t done = 0;
  const size_t left = run_sweep(*bench, points, {}, {.most_s = 0},
                                [&](const Measured&, const Progress&) { ++done; });
  EXPECT_EQ(done, 1u);
  EXPECT_EQ(left, 19u);
}

// The same product twice is one point; what the device cannot multiply is none.
TEST(Sweep, for_a_program_has_its_shapes) {
  Program program;
  const Work product{.kernel = Kernel::gemm,
                     .dtype = DType::fp32,
                     .direction = Direction::weight_gradient,
                     .shape = {1, 512, 256, 128}};
  Work narrow = product;
  narrow.dtype = DType::bf16;
  const Work attention{.kernel = Kernel::attention, .dtype = DType::fp32, .shape = {2, 8, 64, 32}};
  program.works = {product, attention, product, narrow};
  std::set<Point> points;
  for (const Point& point : sweep_for(program, {.gpu = false, .quick = true}))
    if (point.kernel == "gemm" || point.kernel == "attention") points.insert(point);
  EXPECT_EQ(points, (std::set<Point>{
                        {"gemm", Direction::weight_gradient, DType::fp32, {512, 256, 128}},
                        {"attention", Direction::forward, DType::fp32, {2, 64, 8, 32}},
                    }));
}

// A Llama of 64 features: its norm is RMSNorm, its activation SwiGLU, its positions are turned, and
// it has no dropout. 128 rows of 64 numbers in bf16 are 16 KiB.
TEST(Sweep, for_a_llama_has_its_streaming_kernels) {
  constexpr int64_t numbers = 128 * 64;
  const auto stream = [](Kernel kernel, Direction direction, int64_t read, int64_t written) {
    return Work{.kernel = kernel,
                .dtype = DType::bf16,
                .direction = direction,
                .read = {2 * read * numbers},
                .written = {2 * written * numbers}};
  };
  constexpr Direction forward = Direction::forward, backward = Direction::input_gradient;
  Program program;
  program.works = {stream(Kernel::norm, forward, 1, 1), stream(Kernel::norm, backward, 2, 1),
                   stream(Kernel::elementwise, forward, 2, 1),   // SwiGLU, or a residual sum
                   stream(Kernel::elementwise, backward, 3, 2),  // SwiGLU's gradients
                   stream(Kernel::elementwise, forward, 1, 1)};  // the rotation
  TransformerShape llama{
      .hidden = 64, .gated = true, .attention = {.heads = 6, .kv_heads = 2, .head_dim = 8}};
  llama.dropout = false;
  llama.positions = Positions::rope;
  llama.norm = Norm::rmsnorm;
  std::set<Point> points;
  for (const Point& point : sweep_for(program, {.quick = true}, &llama))
    if (point.kernel != "copy" && point.kernel != "launch") points.insert(point);
  EXPECT_EQ(points, (std::set<Point>{
                        {"rmsnorm", forward, DType::fp32, {128, 64}},
                        {"rmsnorm", backward, DType::fp32, {128, 64}},
                        {"swiglu", forward, DType::fp32, {numbers}},
                        {"add", forward, DType::fp32, {numbers}},
                        {"swiglu", backward, DType::fp32, {numbers}},
                        {"rotary", forward, DType::fp32, {128, 8, 8}},
                    }));
}

// A GPT with dropout in bf16: two reads and one write of two bytes, and a mask of one.
TEST(Sweep, for_a_gpt_has_dropout_and_gelu) {
  constexpr int64_t numbers = 1000;
  const Work residual{.kernel = Kernel::elementwise,
                      .dtype = DType::bf16,
                      .read = {4 * numbers},
                      .written = {3 * numbers}};
  const Work activation{.kernel = Kernel::elementwise,
                        .dtype = DType::bf16,
                        .read = {2 * numbers},
                        .written = {2 * numbers}};
  Program program;
  program.works = {residual, activation};
  const TransformerShape gpt{.hidden = 64};
  std::set<std::string> kernels;
  for (const Point& point : sweep_for(program, {.quick = true}, &gpt)) {
    kernels.insert(point.kernel);
    if (point.kernel == "copy" || point.kernel == "launch") continue;
    EXPECT_EQ(point.sizes, std::vector<int64_t>{numbers}) << point.kernel;
  }
  EXPECT_EQ(kernels, (std::set<std::string>{"copy", "dropout", "gelu", "launch"}));
}

// Every kernel of the general sweep in its smallest shapes, in every direction.
TEST(Bench, prepares_every_kernel_of_the_sweep) {
  const auto bench = cpu_bench();
  std::set<std::pair<std::string, Direction>> tried;
  for (const Point& point : general_sweep({.quick = true})) {
    if (!tried.insert({point.kernel, point.direction}).second) continue;
    EXPECT_GT(bench->prepare(point)(1), 0) << to_text(point);
  }
  // Products in three directions, five kernels in one, seven in two, attention in two, batches, a
  // launch.
  EXPECT_EQ(tried.size(), 3u + 5 + 2 * 7 + 2 + 1 + 1);
}

// Products of one rate, r, and copies of one bandwidth: the device says so, and the fit finds times
// that it never saw.
TEST(Profile, of_an_ideal_core) {
  constexpr double rate = 50e9, bandwidth = 20e9, launch = 1e-6;
  std::vector<Measured> measured;
  const auto add = [&](const Point& point, double s) {
    Measured m = summarise({s, s, s});
    m.point = point;
    measured.push_back(m);
  };
  for (const int64_t n : {64, 128, 256, 512})
    for (const int64_t k : {64, 128, 256, 512})
      for (const int64_t m : {128, 256, 512, 1024})
        add({"gemm", Direction::forward, DType::fp32, {m, n, k}},
            launch + 2.0 * double(m) * double(n) * double(k) / rate);
  add({"copy", Direction::forward, DType::fp32, {1 << 20}}, 8.0 * (1 << 20) / bandwidth);
  add({"launch", Direction::forward, DType::fp32, {}}, launch);
  const config::Value value = cpu_device("ideal", "one core", measured);
  const Device device = read_device(value, config::Catalogue(""));
  EXPECT_EQ(device.name, "ideal");
  EXPECT_EQ(device.kind, DeviceKind::cpu);
  EXPECT_NEAR(device.peak_at(DType::fp32)->flops_per_s, rate, 0.01 * rate);
  EXPECT_NEAR(device.memory_bandwidth.bytes_per_s, bandwidth, 0.001 * bandwidth);
  EXPECT_EQ(device.launch_overhead, microseconds(1));
  const Profile profile = fit_profile(device, measured);
  ASSERT_EQ(profile.gemm.size(), 1u);
  ASSERT_FALSE(profile.gemm[0].held_out.empty());
  EXPECT_LT(profile.gemm[0].held_out[0].median, 0.05);
}

// SwiGLU moves 12 bytes a number: 1e6 numbers in 1 ms are 12 GB/s, of 20 GB/s 0.6. Only the largest
// size counts, and products do not.
TEST(Profile, streaming_kernels_are_held_against_the_memory) {
  Measured small = summarise({1.0}), large = summarise({1e-3}), product = summarise({1e-3});
  small.point = {"swiglu", Direction::forward, DType::fp32, {1000}};
  large.point = {"swiglu", Direction::forward, DType::fp32, {1'000'000}};
  product.point = {"gemm", Direction::forward, DType::fp32, {64, 64, 64}};
  const auto reached = reached_bandwidth({large, small, product}, Bandwidth{20e9});
  ASSERT_EQ(reached.size(), 1u);
  EXPECT_EQ(reached[0].kernel, "swiglu forward");
  EXPECT_NEAR(reached[0].fraction, 0.6, 1e-9);
}

// Forward 4 ms, backward 10 ms: 2.5 times the work in 2.5 times the time is the same rate.
TEST(Profile, attention_backward_is_a_rate) {
  Measured forward = summarise({4e-3}), backward = summarise({10e-3});
  forward.point = {"attention", Direction::forward, DType::fp32, {1, 128, 4, 32}};
  backward.point = {"attention", Direction::input_gradient, DType::fp32, {1, 128, 4, 32}};
  EXPECT_DOUBLE_EQ(*attention_backward({forward, backward}), 1.0);
  EXPECT_FALSE(attention_backward({forward}));
}

}  // namespace
}  // namespace pipewright::calibration
