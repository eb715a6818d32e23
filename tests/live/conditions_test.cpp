#include "calibrate/measure/conditions.hpp"

#include <gtest/gtest.h>

#include "calibrate/measure/copiers.hpp"
#include "calibrate/measure/point_work.hpp"

namespace pipewright::calibration {
namespace {

TEST(MachineState, is_read_from_what_linux_tells) {
  const MachineState state =
      state_of("processor\t: 0\ncpu MHz\t\t: 2000.000\nprocessor\t: 1\ncpu MHz\t\t: 3000.000\n",
               "cpu  100 0 50 800 10 0 0 40 70 0\ncpu0 50 0 25 400 5 0 0 20 35 0\n",
               "3.00 1.00 0.50 2/300 4242\n");
  EXPECT_DOUBLE_EQ(state.clock_hz, 2.5e9);
  EXPECT_DOUBLE_EQ(state.ticks, 1000);  // without guests' 70, which are in the first 100 already
  EXPECT_DOUBLE_EQ(state.stolen, 40);
  EXPECT_DOUBLE_EQ(state.load, 1.5);
}

TEST(MachineState, what_is_not_told_is_zero) {
  const MachineState state = state_of("", "", "");
  EXPECT_EQ(state.clock_hz, 0);
  EXPECT_EQ(state.ticks, 0);
  EXPECT_EQ(state.load, 0);
}

TEST(Copiers, copy_while_they_live) {
  const Copiers two(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_GT(two.bytes_per_s(), 1e6);
}

TEST(Conditions, of_a_cpu_have_every_figure) {
  const auto bench = cpu_bench();
  Watch watch(*bench);
  Conditions conditions = measure_conditions(
      *bench, 1e-6, 10e9, {.quick = true, .sampler = {.sample_s = 0, .most_s = 0.01}});
  conditions.steadiness = watch.finish();
  EXPECT_EQ(conditions.launch_s, 1e-6);
  EXPECT_GT(conditions.first_allocation_s, 0);
  EXPECT_GT(conditions.next_allocation_s, 0);
  ASSERT_EQ(conditions.beside.size(), 2u);  // a product and an addition, beside one copy each
  for (const BesideTime& time : conditions.beside) {
    EXPECT_EQ(time.what, "copy");
    EXPECT_GT(time.alone_s, 0);
    EXPECT_GT(time.beside_s, 0);
    EXPECT_GE(time.bytes_per_s, 0);
  }
  ASSERT_EQ(conditions.cache.size(), 2u);
  for (const CacheTime& time : conditions.cache) EXPECT_GT(time.cold_s, 0);
  EXPECT_GE(conditions.spread.ranks, 1);
  EXPECT_GE(conditions.spread.slowest, 1);
  EXPECT_GT(conditions.steadiness.slowdown, 0);
}

TEST(PointWork, a_product_s_flops_and_bytes_are_those_of_its_matrices) {
  const Point product{"gemm", Direction::forward, DType::bf16, {10, 20, 30}};
  EXPECT_DOUBLE_EQ(work_of(product)->flops, 2.0 * 10 * 20 * 30);
  EXPECT_EQ(work_of(product)->read.count, 2 * (10 * 30 + 30 * 20));
  EXPECT_EQ(work_of(product)->written.count, 2 * 10 * 20);
  // A weight gradient reads the sums that it adds to.
  Point gradient = product;
  gradient.direction = Direction::weight_gradient;
  EXPECT_EQ(work_of(gradient)->read.count, 2 * (10 * 30 + 30 * 20 + 10 * 20));
}

TEST(PointWork, a_batch_of_products_is_as_many_products) {
  const Point batch{"gemm_batched", Direction::forward, DType::fp32, {8, 10, 20, 30}};
  EXPECT_DOUBLE_EQ(work_of(batch)->flops, 8 * 2.0 * 10 * 20 * 30);
  EXPECT_EQ(work_of(batch)->written.count, 8 * 4 * 10 * 20);
  EXPECT_EQ(work_of(batch)->shape, (std::array<int64_t, 4>{8, 10, 20, 30}));
}

// SwiGLU reads two numbers for each that it makes, and backwards three for the two gradients.
TEST(PointWork, gated_activations_are_their_streams) {
  EXPECT_EQ(work_of({"swiglu", Direction::forward, DType::fp32, {100}})->read.count, 800);
  EXPECT_EQ(work_of({"swiglu", Direction::forward, DType::fp32, {100}})->written.count, 400);
  EXPECT_EQ(work_of({"swiglu", Direction::input_gradient, DType::fp32, {100}})->read.count, 1200);
  EXPECT_EQ(work_of({"swiglu", Direction::input_gradient, DType::fp32, {100}})->written.count, 800);
  EXPECT_EQ(work_of({"rotary", Direction::forward, DType::fp32, {5, 2, 10}})->read.count, 400);
}

TEST(PointWork, streams_are_their_bytes_and_a_launch_is_no_work) {
  EXPECT_EQ(work_of({"add", Direction::forward, DType::fp32, {100}})->read.count, 800);
  EXPECT_EQ(work_of({"adam", Direction::forward, DType::fp32, {100}})->written.count, 1200);
  EXPECT_FALSE(work_of({"launch", Direction::forward, DType::fp32, {}}));
  EXPECT_FALSE(work_of({"upload", Direction::forward, DType::fp32, {100}}));
}

}  // namespace
}  // namespace pipewright::calibration
