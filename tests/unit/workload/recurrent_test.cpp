#include "workload/model/recurrent.hpp"

#include <gtest/gtest.h>

#include "config/value.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

std::vector<Layer> recurrent_layers_of(const char* yaml, const WorkloadOptions& options) {
  const config::Value value = config::parse(yaml, "x.yaml");
  return recurrent_layers(read_recurrent(value), options, value);
}

// Three embeddings' worth of vocabulary and LSTM layers of 4 h (i + h) + 8 h.
TEST(Recurrent, parameters_are_those_of_lstm_layers_with_two_biases) {
  const auto layers =
      recurrent_layers_of("{hidden: 8, encoder: 3, decoder: 2, vocabulary: 50}", {.sequence = 5});
  const auto lstm = [](double in) { return 4 * 8 * (in + 8) + 8 * 8; };
  ASSERT_EQ(layers.size(), 8u);  // two embeddings, five LSTM layers, the classifier
  EXPECT_EQ(layers[0].parameters, 50 * 8);
  EXPECT_EQ(layers[1].parameters, 2 * lstm(8));  // both ways
  EXPECT_EQ(layers[2].parameters, lstm(16));
  EXPECT_EQ(layers[3].parameters, lstm(8));
  EXPECT_EQ(layers[5].parameters, lstm(8) + 2 * 8 * 8 + 8);  // with attention
  EXPECT_EQ(layers[6].parameters, lstm(16));
  EXPECT_EQ(layers[7].parameters, 50 * 8 + 50);
}

// 8 b s h (i + h): one product for all inputs, one a token for the recurrence.
TEST(Recurrent, the_recurrence_is_a_product_a_token) {
  const auto layers = recurrent_layers_of("{hidden: 8, encoder: 3, decoder: 2, vocabulary: 50}",
                                          {.micro_batch = 2, .sequence = 5});
  EXPECT_EQ(layers[3].model_flops, 8.0 * 2 * 5 * 8 * (8 + 8));
  const std::vector<Work>& kernels = layers[3].forward[0].kernels;
  EXPECT_EQ(kernels[0].shape, (std::array<int64_t, 4>{1, 10, 32, 8}));
  EXPECT_EQ(kernels[0].kernels(), 1);
  EXPECT_EQ(kernels[1].shape, (std::array<int64_t, 4>{5, 2, 32, 8}));
  EXPECT_EQ(kernels[1].kernels(), 5);
}

// Each of the five products reads 2 x 8 states and 8 x 32 weights of 4 bytes and writes 2 x 32
// gates.
TEST(Recurrent, a_token_reads_the_recurrent_weights_again) {
  const auto layers =
      recurrent_layers_of("{hidden: 8, encoder: 3, decoder: 2, vocabulary: 50}",
                          {.micro_batch = 2, .sequence = 5, .precision = DType::fp32});
  const Work& all = layers[3].forward[0].kernels[1];
  const Work one = one_of(all);
  EXPECT_EQ(one.read.count, 4 * (2 * 8 + 8 * 32));
  EXPECT_EQ(one.weights.count, 4 * 8 * 32);
  EXPECT_EQ(one.written.count, 4 * 2 * 32);
  EXPECT_EQ(one.flops, 2.0 * 2 * 8 * 32);
  EXPECT_EQ(all.flops, 5 * one.flops);
}

// A kernel a token each for its product and its cell, of 2 sentences x 8 numbers of 2 bytes: four
// gates and the cell before are read, gates, cell and output written.
TEST(Recurrent, every_token_runs_kernels_of_its_own) {
  const auto layers =
      recurrent_layers_of("{hidden: 8, encoder: 3, decoder: 2, vocabulary: 50}",
                          {.micro_batch = 2, .sequence = 5, .precision = DType::fp16});
  const int64_t state = 2 * 2 * 8;
  const Work& cells = layers[2].forward[0].kernels[2];
  EXPECT_EQ(cells.kernels(), 5);
  EXPECT_EQ(one_of(cells).read.count, 5 * state);
  EXPECT_EQ(one_of(cells).written.count, 6 * state);
}

// b s^2 h = 2 x 5 x 5 x 8 sums of a query and a key in fp16: forward four kernels write three of
// them and read three, backward five read six and write two.
TEST(Recurrent, additive_scores_are_made_by_a_kernel_an_operator) {
  const auto layers =
      recurrent_layers_of("{hidden: 8, encoder: 1, decoder: 1, vocabulary: 50, bidirectional: 0}",
                          {.micro_batch = 2, .sequence = 5, .precision = DType::fp16});
  const int64_t all = 2 * 2 * 5 * 5 * 8;
  const auto passes = [&](const Segments& segments) {
    int64_t read = 0, written = 0;
    for (const Work& work : segments[0].kernels) {
      if (work.kernel != Kernel::elementwise || work.in_turn) continue;
      read += work.read.count / all;
      written += work.written.count / all;
    }
    return std::pair(read, written);
  };
  EXPECT_EQ(passes(layers[3].forward), std::pair(int64_t{3}, int64_t{3}));
  EXPECT_EQ(passes(layers[3].input_gradient), std::pair(int64_t{6}, int64_t{2}));
}

// 10 tokens x 50 words in fp32: made, averaged; backward two gradients, their sum, the softmax's.
TEST(Recurrent, a_translator_smooths_its_labels) {
  const WorkloadOptions options{.micro_batch = 2, .sequence = 5, .precision = DType::fp16};
  const auto passes = [&](const char* model) {
    const Layer head = recurrent_layers_of(model, options).back();
    int64_t bytes = 0;
    for (const Segments* segments : {&head.forward, &head.input_gradient})
      for (const Work& work : segments->front().kernels)
        if (work.kernel != Kernel::gemm) bytes += (work.read + work.written).count;
    return bytes;
  };
  const int64_t wide = 4 * 10 * 50, narrow = 2 * 10 * 50;
  EXPECT_EQ(passes("{hidden: 8, layers: 1, vocabulary: 50}"), 2 * narrow + 2 * wide);
  EXPECT_EQ(passes("{hidden: 8, encoder: 1, decoder: 1, vocabulary: 50}"), 2 * narrow + 9 * wide);
}

TEST(Recurrent, a_cut_carries_what_later_layers_need) {
  const auto layers =
      recurrent_layers_of("{hidden: 8, encoder: 2, decoder: 2, vocabulary: 50}",
                          {.micro_batch = 2, .sequence = 5, .precision = DType::fp32});
  const int64_t state = 4 * 2 * 5 * 8;
  EXPECT_EQ(layers[1].output.count, 2 * state);  // both directions
  EXPECT_EQ(layers[2].output.count, state);
  EXPECT_EQ(layers[3].output.count, 2 * state);  // target words and the encoder's output
  EXPECT_EQ(layers[4].output.count, 2 * state);  // state and context
}

TEST(Recurrent, layers_alone_are_a_language_model) {
  const auto layers =
      recurrent_layers_of("{hidden: 8, layers: 3, vocabulary: 50}", {.sequence = 5});
  ASSERT_EQ(layers.size(), 5u);  // the embedding, three LSTM layers, the classifier
  EXPECT_EQ(layers[0].parameters, 50 * 8);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(layers[i].parameters, 4 * 8 * (8 + 8) + 8 * 8);
  EXPECT_EQ(layers[4].parameters, 50 * 8 + 50);
}

TEST(Recurrent, mistakes_are_named) {
  EXPECT_EQ(error_of([] {
              recurrent_layers_of("{hidden: 8, layers: 2, encoder: 2, vocabulary: 5}", {});
            }),
            "x.yaml:1:33: error: a model with 'layers' has no 'encoder'");
  EXPECT_EQ(error_of([] { recurrent_layers_of("{hidden: 8, encoder: 2, decoder: 2}", {}); }),
            "x.yaml:1:1: error: recurrent needs the key 'vocabulary'");
  EXPECT_EQ(error_of([] {
              recurrent_layers_of(
                  "{hidden: 8, encoder: 2, decoder: 2, vocabulary: 5, bidirectional: 3}", {});
            }),
            "x.yaml:1:67: error: '3' must be a whole number from 0 to 2");
}

}  // namespace
}  // namespace pipewright::test
