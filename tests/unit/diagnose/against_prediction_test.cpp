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

}  // namespace
}  // namespace pipewright::test
