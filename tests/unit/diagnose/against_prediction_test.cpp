#include "diagnose/against_prediction.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

// Attention is 1 s off, gemm 0.5 s, the norm 0.1 s.
TEST(AgainstPrediction, kinds_of_kernels_stand_side_by_side_what_is_furthest_off_first) {
  Diagnosis diagnosis;
  diagnosis.kernels = {{"gemm", 2, 0}, {"attention", 1, 0}};
  Metrics predicted;
  predicted.iteration = seconds(3);
  predicted.detail.kernels = {{.kernel = "gemm", .shape = "a", .time_s = 1},
                              {.kernel = "gemm", .shape = "b", .time_s = 0.5},
                              {.kernel = "norm", .shape = "c", .time_s = 0.1}};
  diagnose::hold_against(predicted, diagnosis);
  ASSERT_TRUE(diagnosis.predicted);
  EXPECT_EQ(diagnosis.predicted->iteration_time_s, 3);
  ASSERT_EQ(diagnosis.kernels.size(), 3u);
  EXPECT_EQ(diagnosis.kernels[0].kind, "attention");
  EXPECT_EQ(diagnosis.kernels[0].predicted_s, 0);
  EXPECT_EQ(diagnosis.kernels[1].predicted_s, 1.5);
  EXPECT_EQ(diagnosis.kernels[2].kind, "norm");
  EXPECT_EQ(diagnosis.kernels[2].predicted_s, 0.1);
}

LayerTime predicted_layer(const std::string& name, double forward, double backward) {
  return {.name = name, .forward_s = forward, .backward_s = backward};
}

TEST(AgainstPrediction, layers_stand_side_by_side_where_there_are_as_many) {
  Diagnosis diagnosis;
  diagnosis.layers = {{"before the layers", 1, 2},
                      {"layer 0", 3, 4},
                      {"layer 1", 5, 6},
                      {"after the layers", 7, 8}};
  Metrics predicted;
  predicted.detail.layers = {predicted_layer("embedding", 0.5, 1), predicted_layer("block 0", 3, 5),
                             predicted_layer("block 1", 4, 6), predicted_layer("head", 2, 3),
                             predicted_layer("optimizer", 0, 9)};
  diagnose::hold_against(predicted, diagnosis);
  ASSERT_EQ(diagnosis.layers.size(), 4u);
  EXPECT_EQ(diagnosis.layers[0].predicted_forward_s, 0.5);
  EXPECT_EQ(diagnosis.layers[2].predicted_forward_s, 4);
  EXPECT_EQ(diagnosis.layers[3].predicted_backward_s, 3);

  diagnosis.layers = {{"before the layers", 1, 2}, {"layer 0", 3, 4}, {"after the layers", 7, 8}};
  diagnose::hold_against(predicted, diagnosis);
  ASSERT_EQ(diagnosis.layers.size(), 3u);
  EXPECT_EQ(diagnosis.layers[1].name, "all layers");
  EXPECT_EQ(diagnosis.layers[1].predicted_forward_s, 7);
  EXPECT_EQ(diagnosis.layers[1].predicted_backward_s, 11);
}

TEST(AgainstPrediction, degrees_that_a_trace_does_not_show_are_not_compared) {
  const FoundParallelism wanted{.tensor = 8, .pipeline = 4, .data = 16};
  EXPECT_TRUE(diagnose::other_degrees({}, wanted).empty());
  EXPECT_TRUE(diagnose::other_degrees(wanted, wanted).empty());
  EXPECT_TRUE(diagnose::other_degrees({.tensor = 8, .data = 2}, wanted).empty());
  EXPECT_EQ(diagnose::other_degrees({.pipeline = 2, .data = 32}, wanted),
            (std::vector<std::string>{"the trace shows pipeline 2, the experiment has 4",
                                      "the trace shows data 32, the experiment has 16"}));
  // Of a trace that has all groups of its job every degree counts.
  EXPECT_EQ(diagnose::other_degrees({.pipeline = 4, .data = 2, .whole = true}, wanted).size(), 2u);
}

}  // namespace
}  // namespace pipewright::test
