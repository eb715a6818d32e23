// The collectives of tensor and expert parallelism, against the papers that define them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright {

bool operator==(const CollectiveWork& x, const CollectiveWork& y) {
  return x.kind == y.kind && x.axis == y.axis && x.bytes == y.bytes;
}

namespace test::collective_works {
namespace {

using enum CollectiveKind;
using testing::ElementsAre;

// b = 2, s = 128, h = 64 in 16 bits: one activation is 32768 bytes.
constexpr Bytes activation{2 * 2 * 128 * 64};
CollectiveWork tensor(CollectiveKind kind) { return {kind, Axis::tensor, activation}; }

WorkloadOptions run(int64_t tensor_degree, bool sequence_parallel) {
  return {.micro_batch = 2,
          .sequence = 128,
          .tensor = tensor_degree,
          .sequence_parallel = sequence_parallel};
}

TEST(Collectives, a_block_reduces_twice_forward_and_twice_backward) {  // arXiv 1909.08053
  const Layer block = layers_of(gpt(1, 64, 4, 512), run(2, false))[1];
  EXPECT_THAT(collectives(block.forward), ElementsAre(tensor(all_reduce), tensor(all_reduce)));
  EXPECT_THAT(collectives(block.input_gradient),
              ElementsAre(tensor(all_reduce), tensor(all_reduce)));
  EXPECT_TRUE(collectives(block.weight_gradient).empty());
}

TEST(Collectives, sequence_parallelism_gathers_and_scatters) {  // arXiv 2205.05198
  const Layer block = layers_of(gpt(1, 64, 4, 512), run(2, true))[1];
  const auto expected = ElementsAre(tensor(all_gather), tensor(reduce_scatter), tensor(all_gather),
                                    tensor(reduce_scatter));
  EXPECT_THAT(collectives(block.forward), expected);
  EXPECT_THAT(collectives(block.input_gradient), expected);
}

TEST(Collectives, a_parallel_block_reduces_once_each_way) {
  TransformerShape shape = gpt(1, 64, 4, 512);
  shape.form = BlockForm::parallel;
  const Layer block = layers_of(shape, run(2, false))[1];
  EXPECT_THAT(collectives(block.forward), ElementsAre(tensor(all_reduce)));
  EXPECT_THAT(collectives(block.input_gradient), ElementsAre(tensor(all_reduce)));
}

TEST(Collectives, one_device_has_none) {
  for (const Layer& layer : layers_of(gpt(1, 64, 4, 512), run(1, false))) {
    EXPECT_TRUE(collectives(layer.forward).empty()) << layer.name;
    EXPECT_TRUE(collectives(layer.input_gradient).empty()) << layer.name;
  }
}

TEST(Collectives, the_ends_reduce_over_the_vocabulary) {
  const auto layers = layers_of(gpt(1, 64, 4, 512), run(2, false));
  EXPECT_THAT(collectives(layers.front().forward), ElementsAre(tensor(all_reduce)));
  EXPECT_TRUE(collectives(layers.front().input_gradient).empty());
  // Maximum, sum and target of every token in fp32: 12 bytes x 256 tokens.
  EXPECT_THAT(collectives(layers.back().forward),
              ElementsAre(CollectiveWork{all_reduce, Axis::tensor, Bytes{12 * 256}}));
  EXPECT_THAT(collectives(layers.back().input_gradient), ElementsAre(tensor(all_reduce)));
}

TransformerShape experts(const char* rest) {
  return transformer(std::string("{layers: 1, hidden: 64, heads: 4, vocabulary: 512, bias: false, "
                                 "experts: {count: 8, active: 2, ffn: 96") +
                     rest + "}}");
}

/// Of 8 experts, gathered from each of 4 devices, in 4 bytes.
const CollectiveWork counts{all_gather, Axis::expert, Bytes{4 * 8 * 4}};

TEST(Collectives, expert_groups_exchange_every_copy_of_a_token_four_times) {
  WorkloadOptions options = run(1, false);
  options.expert = 4;
  const Layer block = layers_of(experts(""), options)[1];
  // Two copies of every token, there and back.
  const CollectiveWork exchange{all_to_all, Axis::expert, activation * 2};
  EXPECT_THAT(collectives(block.forward), ElementsAre(counts, exchange, exchange));
  EXPECT_THAT(collectives(block.input_gradient), ElementsAre(exchange, exchange));
}

TEST(Collectives, where_tokens_above_a_capacity_are_dropped_nobody_counts_them) {
  WorkloadOptions options = run(1, false);
  options.expert = 4;
  const Layer block = layers_of(experts(", capacity: 1"), options)[1];
  const CollectiveWork exchange{all_to_all, Axis::expert, activation * 2};
  EXPECT_THAT(collectives(block.forward), ElementsAre(exchange, exchange));
}

TEST(Collectives, expert_groups_over_tensor_ranks_exchange_a_part_of_the_tokens_each) {
  WorkloadOptions options = run(2, true);
  options.expert = 4;
  const Layer block = layers_of(experts(""), options)[1];
  const CollectiveWork exchange{all_to_all, Axis::expert, activation};  // 2 copies of 1/2
  EXPECT_THAT(collectives(block.forward),
              ElementsAre(tensor(all_gather), tensor(reduce_scatter), counts, exchange, exchange));
  options.sequence_parallel = false;
  const Layer whole = layers_of(experts(""), options)[1];
  EXPECT_THAT(collectives(whole.forward),
              ElementsAre(tensor(all_reduce), counts, exchange, exchange, tensor(all_gather)));
  EXPECT_THAT(collectives(whole.input_gradient),
              ElementsAre(exchange, exchange, tensor(all_gather), tensor(all_reduce)));
}

TEST(Collectives, experts_cut_over_the_tensor_group_reduce_as_an_mlp_does) {
  const Layer block = layers_of(experts(", shared: 1"), run(2, false))[1];
  EXPECT_THAT(collectives(block.forward), ElementsAre(tensor(all_reduce), tensor(all_reduce)));
}

}  // namespace
}  // namespace test::collective_works
}  // namespace pipewright
