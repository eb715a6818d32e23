#include "diagnose/expert_imbalance.hpp"

#include <gtest/gtest.h>

#include "diagnose/diagnose_ranks.hpp"
#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

/// One of two ranks that share experts: in each of two micro-batches the exchange to the experts
/// takes 100 us, the experts `factor` ms, and the way back ends when the slower one has sent.
TorchTrace expert_rank(const std::vector<double>& factors, const std::vector<double>& slowest) {
  TorchTrace trace;
  double at = 0;
  const auto layer = [&](const char* name, size_t i, int thread) {
    trace.kernel(name, at, 1000, at, thread);
    at += 1000;
    trace.collective("all_to_allv", "EXPERT_MODEL_PARALLEL_GROUP", "[0, 1]", 2, at, 100, at);
    at += 100;
    trace.kernel("grouped_gemm", at, 1000 * factors[i], at, thread);
    const double done = at + 1000 * factors[i], end = at + 1000 * slowest[i] + 100;
    trace.collective("all_to_allv", "EXPERT_MODEL_PARALLEL_GROUP", "[0, 1]", 2, done, end - done,
                     done);
    at = end;
    trace.kernel("norm", at, 10, at, thread);
    at += 10;
  };
  for (size_t i = 0; i < factors.size(); ++i) {
    layer("f", i, 1);
    trace.backward(at - 1, 2, 9);
    layer("b", i, 9);
  }
  trace.collective("allreduce", "DATA_PARALLEL_GROUP", "[0, 1]", 2, at, 100, at);
  return trace;
}

Diagnosis diagnosed(const std::vector<double>& one, const std::vector<double>& other) {
  std::vector<double> slowest;
  for (size_t i = 0; i < one.size(); ++i) slowest.push_back(std::max(one[i], other[i]));
  const TemporaryFolder folder;
  return diagnose::diagnose_ranks({folder.write("0.json", expert_rank(one, slowest).text(0, 2)),
                                   folder.write("1.json", expert_rank(other, slowest).text(1, 2))},
                                  "folder");
}

const Cause* imbalance_of(const Diagnosis& diagnosis) {
  for (const Cause& cause : diagnosis.causes)
    if (cause.kind == CauseKind::imbalance) return &cause;
  return nullptr;
}

// In each of four passes one rank's experts take 3 ms and the other's 1 ms: with 2 ms each, every
// pass is 1 ms shorter.
TEST(ExpertImbalance, costs_what_the_slowest_has_above_the_mean) {
  const Diagnosis found = diagnosed({3, 1}, {1, 3});
  const Cause* cause = imbalance_of(found);
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->who, "experts");
  EXPECT_NEAR(cause->recovered_s, 4e-3, 1e-5);
}

TEST(ExpertImbalance, is_none_of_experts_that_are_alike) {
  EXPECT_FALSE(imbalance_of(diagnosed({2, 2}, {2, 2})));
}

TEST(ExpertImbalance, is_not_told_of_ranks_that_do_not_meet) {
  diagnose::RankOperations one, other;
  one.operations.resize(1);
  one.exchanges = {{0, seconds(1)}, {0, seconds(1)}};
  diagnose::find_imbalance({{"[0, 1]", 0, &one}, {"[0, 1]", 0, &other}});
  EXPECT_EQ(one.operations[0].imbalance, Time{});
}

}  // namespace
}  // namespace pipewright::test
