#include "workload/recurrent.hpp"

#include <gtest/gtest.h>

#include "config/value.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

using test::error_of;

std::vector<Layer> layers_of(const char* yaml, const WorkloadOptions& options) {
  const config::Value value = config::parse(yaml, "x.yaml");
  return recurrent_layers(read_recurrent(value), options, value);
}

// Three embeddings' worth of vocabulary and LSTM layers of 4 h (i + h) + 8 h.
TEST(Recurrent, parameters_are_those_of_lstm_layers_with_two_biases) {
  const auto layers =
      layers_of("{hidden: 8, encoder: 3, decoder: 2, vocabulary: 50}", {.sequence = 5});
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
  const auto layers = layers_of("{hidden: 8, encoder: 3, decoder: 2, vocabulary: 50}",
                                {.micro_batch = 2, .sequence = 5});
  EXPECT_EQ(layers[3].model_flops, 8.0 * 2 * 5 * 8 * (8 + 8));
  const std::vector<Work>& kernels = layers[3].forward[0].kernels;
  EXPECT_EQ(kernels[0].shape, (std::array<int64_t, 4>{1, 10, 32, 8}));
  EXPECT_EQ(std::count_if(kernels.begin(), kernels.end(),
                          [](const Work& work) { return work.shape[1] == 2; }),
            5);
}

TEST(Recurrent, a_cut_carries_what_later_layers_need) {
  const auto layers = layers_of("{hidden: 8, encoder: 2, decoder: 2, vocabulary: 50}",
                                {.micro_batch = 2, .sequence = 5, .precision = DType::fp32});
  const int64_t state = 4 * 2 * 5 * 8;
  EXPECT_EQ(layers[1].output.count, 2 * state);  // both directions
  EXPECT_EQ(layers[2].output.count, state);
  EXPECT_EQ(layers[3].output.count, 2 * state);  // target words and the encoder's output
  EXPECT_EQ(layers[4].output.count, 2 * state);  // state and context
}

TEST(Recurrent, layers_alone_are_a_language_model) {
  const auto layers = layers_of("{hidden: 8, layers: 3, vocabulary: 50}", {.sequence = 5});
  ASSERT_EQ(layers.size(), 5u);  // the embedding, three LSTM layers, the classifier
  EXPECT_EQ(layers[0].parameters, 50 * 8);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(layers[i].parameters, 4 * 8 * (8 + 8) + 8 * 8);
  EXPECT_EQ(layers[4].parameters, 50 * 8 + 50);
}

TEST(Recurrent, mistakes_are_named) {
  EXPECT_EQ(error_of([] { layers_of("{hidden: 8, layers: 2, encoder: 2, vocabulary: 5}", {}); }),
            "x.yaml:1:33: error: a model with 'layers' has no 'encoder'");
  EXPECT_EQ(error_of([] { layers_of("{hidden: 8, encoder: 2, decoder: 2}", {}); }),
            "x.yaml:1:1: error: recurrent needs the key 'vocabulary'");
  EXPECT_EQ(error_of([] {
              layers_of("{hidden: 8, encoder: 2, decoder: 2, vocabulary: 5, bidirectional: 3}", {});
            }),
            "x.yaml:1:67: error: '3' must be a whole number from 0 to 2");
}

}  // namespace
}  // namespace pipewright
