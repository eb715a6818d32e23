#include "search/signatures.hpp"

#include <gtest/gtest.h>

#include <random>

namespace pipewright::search {
namespace {

struct Side {
  int size;
  double latency_s, bandwidth;
};

Operator operator_with(double seconds, double weights, double output) {
  Operator one;
  one.seconds = seconds;
  one.weights = weights;
  one.output = output;
  return one;
}

/// Rings: (n - 1) latencies and (n - 1) / n of the bytes, twice for an all-reduce; of the slowest
/// side of a group, as many devices as its sides have together.
double ring_s(const std::vector<Side>& sides, const CollectiveWork& work) {
  std::vector<Side> in;
  const bool both = work.axis == Axis::tensor_row_column;
  if (both || work.axis == Axis::tensor_row) in.push_back(sides[0]);
  if (both || work.axis == Axis::tensor_column) in.push_back(sides[1]);
  double n = 1, latency = 0, bandwidth = 1e300;
  for (const Side& side : in) {
    n *= side.size;
    latency = std::max(latency, side.latency_s);
    bandwidth = std::min(bandwidth, side.bandwidth);
  }
  const double once =
      (n - 1) * latency + static_cast<double>(work.bytes.count) * (n - 1) / n / bandwidth;
  return work.kind == CollectiveKind::all_reduce ? 2 * once : once;
}

SignatureProblem problem_of(std::vector<Operator> operators, const std::vector<Side>& sides) {
  SignatureProblem problem;
  problem.operators = std::move(operators);
  for (size_t side = 0; side < sides.size(); ++side) problem.grid.sides[side] = sides[side].size;
  problem.price = [sides](const CollectiveWork& work) { return ring_s(sides, work); };
  return problem;
}

constexpr Signatures on_row(Signature s) { return {s, Signature::batch, Signature::batch}; }

TEST(SignatureSearch, descent_is_within_two_percent_of_trying_all) {
  std::mt19937 random(4);
  std::uniform_int_distribution<int> any(1, 100);
  for (int n = 1; n <= 4; ++n) {
    for (int trial = 0; trial < 8; ++trial) {
      std::vector<Operator> operators;
      for (int i = 0; i < n; ++i) {
        operators.push_back(operator_with(any(random) / 10.0, any(random), any(random) * 2.0));
        operators.back().whole_input = i % 2 == 0;
      }
      std::vector<Side> sides{{4, 1e-3, 100}};
      if (n < 4) sides.push_back({2, 2e-3, 20.0 + any(random)});
      SignatureProblem problem = problem_of(std::move(operators), sides);
      problem.times = 1 + trial % 3;
      problem.residual = trial % 2 == 1;
      const double best = try_all(problem).seconds;
      EXPECT_LE(descend(problem, 16, 1).seconds, best * 1.02) << n << ", trial " << trial;
      EXPECT_GE(descend(problem, 16, 1).seconds, best * (1 - 1e-9));
    }
  }
}

// Data parallelism of n devices on one operator: compute / n and a ring all-reduce of the weights,
// 2 (n - 1) (latency + bytes / (n bandwidth)).
TEST(SignatureSearch, data_parallelism_reduces_gradients) {
  const SignatureProblem problem = problem_of({operator_with(8, 120, 50)}, {{4, 0.25, 10}});
  EXPECT_NEAR(seconds_of(problem, {on_row(Signature::batch)}), 2 + 2 * 3 * (0.25 + 120.0 / 4 / 10),
              1e-6);
}

// Megatron's MLP: columns then rows; one all-reduce of the output forward, one of the gradient of
// the input backward where another block stands before; none between the two.
TEST(SignatureSearch, columns_then_rows_reduce_once_a_direction) {
  SignatureProblem problem =
      problem_of({operator_with(4, 1000, 80), operator_with(4, 1000, 20)}, {{2, 0, 10}});
  problem.times = 3;
  const double all_reduce = 2 * 20.0 / 2 / 10;
  EXPECT_NEAR(seconds_of(problem, {on_row(Signature::column), on_row(Signature::row)}),
              3 * (4 + 4) / 2.0 + 2 * 2 * all_reduce, 1e-6);
}

// Heavy weights and small activations: cutting weights; light weights and large activations: batch.
TEST(SignatureSearch, cut_what_is_cheaper_to_exchange) {
  SignatureProblem problem =
      problem_of({operator_with(4, 1e6, 1), operator_with(4, 1e6, 1)}, {{4, 0, 10}});
  EXPECT_NE(descend(problem, 4, 1).choice.front()[0], Signature::batch);
  problem = problem_of({operator_with(4, 1, 1e6), operator_with(4, 1, 1e6)}, {{4, 0, 10}});
  problem.times = 4;
  for (const Signatures& signatures : descend(problem, 4, 1).choice)
    EXPECT_EQ(signatures[0], Signature::batch);
}

// Cutting the batch would be best, but six samples are no multiple of four, nor ten outputs.
TEST(SignatureSearch, only_what_divides_is_cut) {
  Operator one = operator_with(4, 1, 1e6);
  one.out = 10;
  SignatureProblem problem = problem_of({one}, {{4, 0, 10}});
  problem.batch = 6;
  const Signature found = descend(problem, 4, 1).choice.front()[0];
  EXPECT_NE(found, Signature::batch);
  EXPECT_NE(found, Signature::column);
}

}  // namespace
}  // namespace pipewright::search
