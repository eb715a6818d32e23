#include "search/signatures.hpp"

#include <gtest/gtest.h>

#include <random>

namespace pipewright::search {
namespace {

Operator operator_with(double seconds, double weights, double output) {
  Operator one;
  one.seconds = seconds;
  one.weights = weights;
  one.output = output;
  return one;
}

TEST(Signatures, descent_is_within_two_percent_of_trying_all) {
  std::mt19937 random(4);
  std::uniform_int_distribution<int> any(1, 100);
  for (int n = 1; n <= 4; ++n) {
    for (int trial = 0; trial < 20; ++trial) {
      SignatureProblem problem;
      problem.times = 1 + trial % 3;
      problem.grid = {{4, 1e-3, 100}};
      if (n < 4) problem.grid.push_back({2, 2e-3, 20.0 + any(random)});
      for (int i = 0; i < n; ++i) {
        problem.operators.push_back(
            operator_with(any(random) / 10.0, any(random), any(random) * 2.0));
        problem.operators.back().whole_input = i % 2 == 0;
      }
      const double best = try_all(problem).seconds;
      EXPECT_LE(descend(problem, 16, 1).seconds, best * 1.02) << n << ", trial " << trial;
      EXPECT_GE(descend(problem, 16, 1).seconds, best * (1 - 1e-9));
    }
  }
}

// Data parallelism of n devices on one operator: compute / n and a ring all-reduce of the weights,
// 2 (n - 1) (latency + bytes / (n bandwidth)).
TEST(Signatures, data_parallelism_reduces_gradients) {
  const SignatureProblem problem{{operator_with(8, 120, 50)}, {{4, 0.25, 10}}};
  EXPECT_DOUBLE_EQ(seconds_of(problem, {Signature::batch}), 2 + 2 * 3 * (0.25 + 120.0 / 4 / 10));
}

// Megatron's MLP: columns then rows; one all-reduce of the output forward, one of the gradient of
// the input backward where another block stands before; none between the two.
TEST(Signatures, columns_then_rows_reduce_once_a_direction) {
  SignatureProblem problem{{operator_with(4, 1000, 80), operator_with(4, 1000, 20)}, {{2, 0, 10}}};
  problem.times = 3;
  const double all_reduce = 2 * 20.0 / 2 / 10;
  EXPECT_DOUBLE_EQ(seconds_of(problem, {Signature::column, Signature::row}),
                   3 * (4 + 4) / 2.0 + 2 * 2 * all_reduce);
}

// Heavy weights and small activations: cutting weights; light weights and large activations: batch.
TEST(Signatures, cut_what_is_cheaper_to_exchange) {
  SignatureProblem problem{{operator_with(4, 1e6, 1), operator_with(4, 1e6, 1)}, {{4, 0, 10}}};
  EXPECT_NE(descend(problem, 4, 1).signatures.front(), Signature::batch);
  problem.operators = {operator_with(4, 1, 1e6), operator_with(4, 1, 1e6)};
  problem.times = 4;
  EXPECT_EQ(descend(problem, 4, 1).signatures, (Signatures{Signature::batch, Signature::batch}));
}

}  // namespace
}  // namespace pipewright::search
