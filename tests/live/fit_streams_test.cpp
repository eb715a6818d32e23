// Lines through measured times of kernels that stream.
#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/fit/streams.hpp"
#include "calibrate/measure/bench.hpp"
#include "calibrate/measure/profile.hpp"
#include "config/emit.hpp"
#include "config/value.hpp"

namespace pipewright::fit {
namespace {

/// Six sizes from 64 KiB to 1 GiB, thrice each, a few percent apart.
std::vector<StreamSample> samples_of(const StreamConstants& truth) {
  std::vector<StreamSample> samples;
  for (int power = 16; power <= 30; power += 2)
    for (const double spread : {0.98, 1.0, 1.02})
      samples.push_back({std::ldexp(1, power), spread * truth.seconds(std::ldexp(1, power))});
  return samples;
}

/// A prediction that any line beats.
double far_off(double) { return 1; }

TEST(FitStreams, finds_a_line_and_no_cache_where_there_is_none) {
  const StreamConstants truth{.latency_s = 4e-6, .bytes_per_s = 2e12};
  const auto fit = fit_stream(Kernel::norm, false, samples_of(truth), far_off);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->constants.latency_s, 4e-6, 0.4e-6);
  EXPECT_NEAR(fit->constants.bytes_per_s, 2e12, 0.05e12);
  EXPECT_EQ(fit->constants.cache_bytes, 0);
  EXPECT_EQ(fit->most_bytes, std::ldexp(1, 30));
  ASSERT_EQ(fit->held_out.size(), 1u);
  EXPECT_EQ(fit->held_out[0].count, 24) << "every sample once";
  EXPECT_LT(fit->held_out[0].p95, 0.06);
}

TEST(FitStreams, finds_the_cache_between_two_sizes) {
  const StreamConstants truth{
      .latency_s = 2e-6, .bytes_per_s = 1.5e12, .cached_per_s = 5e12, .cache_bytes = 40e6};
  const auto fit = fit_stream(Kernel::elementwise, true, samples_of(truth), far_off);
  ASSERT_TRUE(fit);
  EXPECT_GT(fit->constants.cache_bytes, std::ldexp(1, 24));
  EXPECT_LT(fit->constants.cache_bytes, std::ldexp(1, 26));
  EXPECT_NEAR(fit->constants.bytes_per_s, 1.5e12, 0.1e12);
  EXPECT_NEAR(fit->constants.cached_per_s, 5e12, 1e12);
}

TEST(FitStreams, is_not_moved_by_a_point_that_is_far_off) {
  const StreamConstants truth{.latency_s = 4e-6, .bytes_per_s = 2e12};
  std::vector<StreamSample> samples = samples_of(truth);
  samples[10].seconds *= 4;
  const auto fit = fit_stream(Kernel::norm, false, samples, far_off);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->constants.bytes_per_s, 2e12, 0.1e12);
}

TEST(FitStreams, wants_five_sizes) {
  std::vector<StreamSample> samples = samples_of({.latency_s = 1e-6, .bytes_per_s = 1e12});
  EXPECT_FALSE(fit_stream(Kernel::norm, false, std::span(samples).first(12), far_off));
  EXPECT_TRUE(fit_stream(Kernel::norm, false, std::span(samples).first(15), far_off));
  EXPECT_FALSE(fit_stream(Kernel::norm, false, {}, far_off));
}

TEST(FitStreams, gives_way_to_a_prediction_that_is_as_good) {
  const StreamConstants truth{.latency_s = 4e-6, .bytes_per_s = 2e12};
  const auto exact = [&](double bytes) { return truth.seconds(bytes); };
  const auto twice = [&](double bytes) { return 2 * truth.seconds(bytes); };
  std::vector<StreamSample> samples = samples_of(truth);
  for (StreamSample& sample : samples) sample.seconds = truth.seconds(sample.bytes);
  EXPECT_FALSE(fit_stream(Kernel::norm, false, samples, exact));
  EXPECT_TRUE(fit_stream(Kernel::norm, false, samples, twice));
}

// RMSNorm forward moves 8 bytes a number, its gradients 20 (point_work.cpp).
TEST(FitStreams, goes_from_measured_points_through_a_profile_and_back) {
  using calibration::Measured;
  std::vector<Measured> measured;
  const auto add = [&](const calibration::Point& point, double s) {
    Measured m = calibration::summarise({s, s, s});
    m.point = point;
    measured.push_back(m);
  };
  for (const int64_t n : {64, 128, 256, 512})
    for (const int64_t m : {128, 256, 512})
      add({"gemm", Direction::forward, DType::fp32, {m, n, n}},
          1e-6 + 2.0 * double(m) * double(n) * double(n) / 50e9);
  add({"copy", Direction::forward, DType::fp32, {1 << 22}}, 8.0 * (1 << 22) / 20e9);
  add({"launch", Direction::forward, DType::fp32, {}}, 1e-6);
  for (const int64_t rows : {16, 64, 256, 1024, 4096}) {
    const double numbers = double(rows) * 1024;
    add({"rmsnorm", Direction::forward, DType::fp32, {rows, 1024}}, 1e-6 + 8 * numbers / 10e9);
    add({"rmsnorm", Direction::input_gradient, DType::fp32, {rows, 1024}},
        1e-6 + 20 * numbers / 5e9);
  }
  const config::Catalogue catalogue("");
  const config::Value value = calibration::cpu_device("core", "one core", measured);
  const Profile fitted = calibration::fit_profile(read_device(value, catalogue), measured);
  ASSERT_EQ(fitted.streams.size(), 2u) << "of the copies there is one size";
  config::Value document{.kind = config::Value::Kind::map};
  document.set("schema", config::scalar(profile_schema));
  document.set("origin", config::scalar("measured"));
  document.set("device", config::scalar("core"));
  document.set("measured_on", value);
  Profile streams_alone = fitted;
  streams_alone.gemm.clear();
  set_kernels(document, streams_alone, "none.points");
  const Profile profile =
      read_profile(config::parse(config::to_yaml(document), "p.yaml"), catalogue);
  ASSERT_EQ(profile.streams.size(), 2u);
  Work work{.kernel = Kernel::norm};
  EXPECT_NEAR(profile.stream(work)->constants.bytes_per_s, 10e9, 0.2e9);
  EXPECT_NEAR(profile.stream(work)->constants.latency_s, 1e-6, 0.3e-6);
  work.direction = Direction::weight_gradient;
  EXPECT_NEAR(profile.stream(work)->constants.bytes_per_s, 5e9, 0.1e9);
}

}  // namespace
}  // namespace pipewright::fit
