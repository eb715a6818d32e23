// Movements of data and their adjoints; a convolutional network whose images are cut over workers.
#include "calibrate/train/layers/data_movement.hpp"

#include <gtest/gtest.h>

#include "calibrate/train/parallel/lenet.hpp"
#include "calibrate/train/parallel/spatial.hpp"
#include "support/double_kernels.hpp"

namespace pipewright::test {
namespace {

using train::Array;
using train::Movement;
using train::Range;
using train::Workers;

constexpr int64_t rows = 3;

Workers random_on(kernels::Kernels& kernels, const std::vector<Range>& columns, uint64_t seed) {
  Workers workers;
  for (const Range& range : columns)
    workers.push_back(upload(kernels, random_grid(rows, range.count, seed++)));
  return workers;
}

double dot_of(kernels::Kernels& kernels, const Workers& a, const Workers& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += dot(download(kernels, a[i]), download(kernels, b[i]));
  return sum;
}

struct Named {
  const char* name;
  Movement movement;
};

class DataMovement : public testing::TestWithParam<Named> {};

// <F x, y> = <x, F* y> for any x and y.
TEST_P(DataMovement, passes_the_adjoint_test) {
  const Movement& movement = GetParam().movement;
  const auto kernels = kernels::cpu_kernels();
  const Workers x = random_on(*kernels, movement.own, 1);
  const Workers y = random_on(*kernels, movement.want, 100);
  const Workers fx = forward(movement, *kernels, x), fy = adjoint(movement, *kernels, y);
  const double scale = std::sqrt(dot_of(*kernels, fx, fx) * dot_of(*kernels, y, y));
  ASSERT_GT(scale, 0);
  EXPECT_NEAR(dot_of(*kernels, fx, y), dot_of(*kernels, x, fy), 1e-6 * scale);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, DataMovement,
    testing::Values(Named{"broadcast", train::broadcast(1, 4, 7)},
                    Named{"send", train::send(2, 0, 3, 5)},
                    Named{"all_to_all",
                          train::repartition(train::even_parts(13, 3), train::even_parts(13, 5))},
                    Named{"scatter", train::repartition({{0, 9}, {}, {}}, train::even_parts(9, 3))},
                    Named{"gather", train::repartition(train::even_parts(9, 3), {{0, 9}, {}, {}})},
                    Named{"halo", train::halo_exchange(train::even_parts(12, 4), 2, 1)},
                    // Wider than a neighbour: it comes from the one behind.
                    Named{"wide_halo", train::halo_exchange(train::even_parts(8, 4), 3, 3)}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(DataMovements, a_broadcast_copies_and_its_adjoint_sums) {
  const auto kernels = kernels::cpu_kernels();
  const Movement movement = train::broadcast(1, 3, 2);
  const Grid2 x = random_grid(1, 2, 1);
  const Workers y = forward(movement, *kernels,
                            {kernels->array(1, 0), upload(*kernels, x), kernels->array(1, 0)});
  for (const Array& one : y) EXPECT_EQ(download(*kernels, one).values, x.values);
  const Workers back = adjoint(movement, *kernels, y);
  EXPECT_NEAR(download(*kernels, back[1]).at(0, 1), 3 * x.at(0, 1), 1e-6);
}

// Columns 0 1 | 2 3 with one column of halo: 0, 0, 1, 2 and 1, 2, 3, 0.
TEST(DataMovements, a_halo_is_what_the_neighbours_have_and_0_beyond_them) {
  const auto kernels = kernels::cpu_kernels();
  const Movement movement = train::halo_exchange(train::even_parts(4, 2), 1, 1);
  Grid2 left(1, 2), right(1, 2);
  left.values = {10, 11};
  right.values = {12, 13};
  const Workers y = forward(movement, *kernels, {upload(*kernels, left), upload(*kernels, right)});
  EXPECT_EQ(download(*kernels, y[0]).values, (std::vector<double>{0, 10, 11, 12}));
  EXPECT_EQ(download(*kernels, y[1]).values, (std::vector<double>{11, 12, 13, 0}));
}

void expect_same(const Grid2& got, const Grid2& expected) {
  ASSERT_EQ(got.values.size(), expected.values.size());
  double apart = 0;
  for (size_t i = 0; i < got.values.size(); ++i)
    apart += std::pow(got.values[i] - expected.values[i], 2);
  EXPECT_LT(std::sqrt(apart), 1e-5 * std::sqrt(dot(expected, expected)));
}

// 28, 28, 14 and 10 rows over three workers are uneven parts.
TEST(Spatial, lenet_5_split_over_workers_equals_unsplit) {
  const auto kernels = kernels::cpu_kernels();
  Grid2 weights = random_grid(1, train::lenet_weights, 3);
  for (double& value : weights.values) value *= 0.2;
  const Array x = upload(*kernels, random_grid(2, train::lenet_inputs, 1));
  const Array dy = upload(*kernels, random_grid(2, train::lenet_features, 2));
  const Array w = upload(*kernels, weights);
  const auto down = [&](const Array& array) { return download(*kernels, array); };
  const train::LenetPass whole = train::lenet_over(1, *kernels, x, w, dy);
  ASSERT_GT(dot(down(whole.dx), down(whole.dx)), 0);
  for (const int workers : {2, 3, 4, 5}) {
    SCOPED_TRACE(workers);
    const train::LenetPass split = train::lenet_over(workers, *kernels, x, w, dy);
    expect_same(down(split.y), down(whole.y));
    expect_same(down(split.dx), down(whole.dx));
    expect_same(down(split.gradients), down(whole.gradients));
  }
}

// Nor does one worker differ from the layer itself.
TEST(Spatial, one_worker_is_the_plain_layer) {
  const auto kernels = kernels::cpu_kernels();
  const kernels::WindowShape shape{.height = 6,
                                   .width = 5,
                                   .channels = 2,
                                   .window_height = 3,
                                   .window_width = 3,
                                   .pad_height = 1,
                                   .pad_width = 1};
  const Array x = upload(*kernels, random_grid(1, 60, 1));
  const Array weights = upload(*kernels, random_grid(1, 4 * 19, 2));
  const train::Batch batch{.sequences = 1, .tokens = 1, .total = 1};
  train::Stash stash;
  const train::LayerPointer layer = train::convolution(shape, 4);
  const Array plain =
      layer->forward({*kernels, weights, batch, stash}, {x.memory, {x.tensor.data, 30, 2, 2}});
  train::SpatialLayer spatial(
      shape, 4, 1, [](const kernels::WindowShape& own) { return train::convolution(own, 4); });
  EXPECT_EQ(download(*kernels, spatial.forward(*kernels, weights, {x})[0]).values,
            download(*kernels, plain).values);
}

}  // namespace
}  // namespace pipewright::test
