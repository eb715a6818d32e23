#include "calibrate/fit/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/fit/held_out.hpp"
#include "config/catalogue.hpp"

namespace pipewright::fit {
namespace {

Device h100() { return read_device(config::scalar("h100-sxm"), config::Catalogue()); }

constexpr GemmConstants truth{.rate = 0.7,
                              .launch_s = 4e-6,
                              .tiles = {.intensity = 44,
                                        .epilogue = 0.75,
                                        .split_s = 2.7e-6,
                                        .quantisation = 0.5,
                                        .prologue_s = 3e-7,
                                        .memory_fraction = 0.9}};

double noise(size_t i, double size) {
  return 1 + size * std::sin(static_cast<double>(i) * 12.9898);
}

/// What a device that follows `truth` would have been measured to take.
PointTable made_up(double noise_size) {
  std::vector<Sample> samples;
  const Device device = h100();
  for (int64_t n = 256; n <= 16384; n *= 2)
    for (int64_t k = 256; k <= 16384; k *= 2)
      for (int64_t m = 64; m <= 16384; m *= 2) {
        const Product product = measured_product(DType::bf16, device, m, n, k);
        samples.push_back(
            {{n, k, m}, gemm_seconds(product, truth) * noise(samples.size(), noise_size)});
      }
  return table_of(gemm_keys, DType::bf16, samples);
}

TEST(FitKernels, the_constants_of_made_up_measurements_are_found_again) {
  const GemmConstants found = gemm_constants(made_up(0.02), h100());
  EXPECT_NEAR(found.rate / truth.rate, 1, 0.03);
  EXPECT_NEAR(found.launch_s / truth.launch_s, 1, 0.05);
  EXPECT_NEAR(found.tiles.memory_fraction / truth.tiles.memory_fraction, 1, 0.05);
}

TEST(FitKernels, one_wild_measurement_in_fifty_does_not_decide) {
  PointTable table = made_up(0);
  size_t i = 0;
  for (PointTable::Row& row : table.rows)
    for (float& seconds : row.seconds)
      if (++i % 50 == 0) seconds *= 10;
  EXPECT_NEAR(gemm_constants(table, h100()).rate / truth.rate, 1, 0.03);
}

TEST(FitKernels, the_stated_error_is_about_the_noise_of_points_that_were_not_seen) {
  // |sin| of even phases has its median at 0.71 of the amplitude; the carried correction adds to
  // it or, where it guesses the noise, takes from it.
  const GemmProfile profile = fit_gemm(made_up(0.05), h100());
  const HeldOutError& error = profile.held_out.at(0);
  EXPECT_GT(error.median, 0.7 * 0.05 * 0.6);
  EXPECT_LT(error.median, 0.7 * 0.05 * 1.5);
  EXPECT_GE(error.p95, error.p90);
}

TEST(HeldOut, a_row_is_held_out_as_a_whole_and_nothing_is_lost) {
  const PointTable table = made_up(0);
  const Cut cut = cut_rows(table, 3);
  EXPECT_EQ(static_cast<int64_t>(cut.seen.size() + cut.held.size()), table.count());
  EXPECT_FALSE(cut.held.empty());
  for (const Sample& held : cut.held)
    for (const Sample& seen : cut.seen)
      EXPECT_FALSE(held.sizes[0] == seen.sizes[0] && held.sizes[1] == seen.sizes[1]);
}

TEST(HeldOut, errors_are_percentiles_of_the_relative_difference) {
  std::vector<Sample> samples;
  for (int64_t i = 1; i <= 101; ++i) samples.push_back({{i}, 1});
  // Predicted are 1.00, 1.01, ... 2.00 of what was measured: 0 to 100 % off.
  const HeldOutError error = error_at("all", samples, [](const Sample& s) {
    return 1 + static_cast<double>(s.sizes[0] - 1) / 100;
  });
  EXPECT_EQ(error.count, 101);
  EXPECT_NEAR(error.median, 0.5, 1e-9);
  EXPECT_NEAR(error.p90, 0.9, 1e-9);
  EXPECT_NEAR(error.p95, 0.95, 1e-9);
}

}  // namespace
}  // namespace pipewright::fit
