#include "plan/buckets.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

std::vector<Layer> layers_of(std::initializer_list<double> parameters) {
  std::vector<Layer> layers;
  for (const double p : parameters)
    layers.push_back({.kind = LayerKind::block, .device_parameters = p});
  return layers;
}

TEST(GradientBuckets, the_last_layers_fill_the_first_bucket) {
  // From the back in fp32: 40 + 80 bytes reach 100, then 120 do, 20 are left.
  const Buckets buckets = gradient_buckets(layers_of({5, 30, 20, 10}), DType::fp32, Bytes{100});
  EXPECT_EQ(buckets.of_layer, (std::vector<int>{2, 1, 0, 0}));
  EXPECT_EQ(buckets.bytes, (std::vector<Bytes>{Bytes{120}, Bytes{120}, Bytes{20}}));
}

TEST(GradientBuckets, frozen_weights_fill_none) {
  std::vector<Layer> layers = layers_of({500, 30, 20});
  layers[0].trained = 0;
  layers[1].trained = 5;
  EXPECT_EQ(gradient_buckets(layers, DType::fp32, std::nullopt).bytes,
            (std::vector<Bytes>{Bytes{100}}));
  const WeightUnits units = weight_units(layers, DType::bf16, DType::fp32);
  EXPECT_EQ(units.weights, (std::vector<Bytes>{Bytes{1000}, Bytes{60}, Bytes{40}}));
  EXPECT_EQ(units.gradients, (std::vector<Bytes>{Bytes{}, Bytes{20}, Bytes{80}}));
}

TEST(GradientBuckets, without_a_size_all_gradients_are_one) {
  const Buckets buckets = gradient_buckets(layers_of({5, 30, 20}), DType::bf16, std::nullopt);
  EXPECT_EQ(buckets.of_layer, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(buckets.bytes, (std::vector<Bytes>{Bytes{110}}));
}

TEST(GradientBuckets, layers_without_parameters_fill_none) {
  // An activation in front of everything belongs to the bucket that came last.
  const Buckets buckets = gradient_buckets(layers_of({0, 10, 0, 10}), DType::fp32, Bytes{1});
  EXPECT_EQ(buckets.of_layer, (std::vector<int>{1, 1, 1, 0}));
  EXPECT_EQ(buckets.bytes, (std::vector<Bytes>{Bytes{40}, Bytes{40}}));
  EXPECT_TRUE(gradient_buckets(layers_of({0, 0}), DType::fp32, Bytes{1}).bytes.empty());
}

// A head that shares the embedding's table has a copy of its gradient on its own stage only.
TEST(GradientBuckets, a_tied_table_counts_once_a_stage) {
  std::vector<Layer> layers(2);
  layers[0] = {.kind = LayerKind::embedding, .device_parameters = 500};
  layers[1] = {
      .kind = LayerKind::head, .device_parameters = 10, .tied = {.device_parameters = 500}};
  EXPECT_EQ(gradient_buckets(layers, DType::bf16, Bytes{1}).bytes,
            (std::vector<Bytes>{Bytes{20}, Bytes{1000}}));
  EXPECT_EQ(gradient_buckets(std::span(layers).subspan(1), DType::bf16, Bytes{1}).bytes,
            (std::vector<Bytes>{Bytes{1020}}));
}

TEST(WeightUnits, are_layers_with_parameters_and_what_follows_them) {
  const WeightUnits units = weight_units(layers_of({0, 5, 0, 10}), DType::bf16, DType::fp32);
  EXPECT_EQ(units.of_layer, (std::vector<int>{0, 0, 0, 1}));
  EXPECT_EQ(units.weights, (std::vector<Bytes>{Bytes{10}, Bytes{20}}));
  EXPECT_EQ(units.gradients, (std::vector<Bytes>{Bytes{20}, Bytes{40}}));
}

// 5 weights of a block in a byte each, 10 elsewhere in two.
TEST(WeightUnits, weights_of_blocks_may_be_gathered_in_fewer_bytes) {
  std::vector<Layer> layers = layers_of({5, 10});
  layers[0].kind = LayerKind::block;
  layers[1].kind = LayerKind::head;
  const WeightUnits units = weight_units(layers, GatheredBytes{1, 2}, DType::fp32);
  EXPECT_EQ(units.weights, (std::vector<Bytes>{Bytes{5}, Bytes{20}}));
  EXPECT_EQ(units.gradients, (std::vector<Bytes>{Bytes{20}, Bytes{40}}));
}

TEST(MegatronBucket, has_forty_million_parameters_or_a_million_a_replica) {
  EXPECT_EQ(megatron_bucket(8, DType::fp32), Bytes{160'000'000});
  EXPECT_EQ(megatron_bucket(64, DType::bf16), Bytes{128'000'000});
}

}  // namespace
}  // namespace pipewright::test
