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
    trace.backward(at - 1, 1211 + 1000 * slowest[i], 9);
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

/// The same with DeepEP, whose ranks wait in the announcement, and with Megatron-Core's all-to-all,
/// that sends the weights of tokens besides and says its bytes.
TorchTrace layer_of(double factor, double slowest, bool deep_ep) {
  TorchTrace trace;
  double at = 0;
  const auto kernel = [&](const std::string& name, double length, int stream,
                          const std::string& more = "") {
    trace.kernel(name, at, length, at, 1, stream, more);
    at += length;
  };
  const auto exchange = [&](double in, double out, double length) {
    kernel("ncclDevKernel_SendRecv", length, 20,
           fmt::format(R"(, "Collective name": "all_to_allv", "Process Group Description":
 "EXPERT_MODEL_PARALLEL_GROUP", "Process Group Ranks": "[0, 1]", "Group size": 2,
 "In msg nelems": {}, "Out msg nelems": {}, "dtype": "Byte")",
                       in, out));
  };
  kernel("attention", 1000, 7);
  if (deep_ep) {
    kernel("deep_ep::intranode::notify_dispatch<2>", 10, 20);
    kernel("deep_ep::intranode::dispatch<2, 768>", 100, 20);
  } else {
    exchange(4000, 2000 * factor, 100);
    exchange(40, 20 * factor, 10);
  }
  kernel("grouped_gemm", 1000 * factor, 7);
  const double waits = 1000 * (slowest - factor) + 10;
  if (deep_ep) {
    kernel("deep_ep::intranode::cached_notify_combine<2>", waits, 20);
    kernel("deep_ep::intranode::combine<2, 768>", 100, 20);
  } else {
    exchange(2000 * factor, 4000, waits + 100);
  }
  kernel("norm", 10, 7);
  return trace;
}

double recovered(double one, double other, bool deep_ep) {
  const double slowest = std::max(one, other);
  const TemporaryFolder folder;
  const Diagnosis found = diagnose::diagnose_ranks(
      {folder.write("0.json", layer_of(one, slowest, deep_ep).text(0, 2)),
       folder.write("1.json", layer_of(other, slowest, deep_ep).text(1, 2))},
      "folder");
  const Cause* cause = imbalance_of(found);
  return cause ? cause->recovered_s : 0;
}

// 3 ms and 1 ms of experts: with 2 ms each, the pass is 1 ms shorter.
TEST(ExpertImbalance, is_told_of_every_dispatcher) {
  EXPECT_NEAR(recovered(3, 1, false), 1e-3, 1e-5);
  EXPECT_NEAR(recovered(3, 1, true), 1e-3, 1e-5);
}

TEST(ExpertImbalance, is_none_where_all_have_equally_many_tokens) {
  diagnose::RankOperations one, other;
  one.operations.resize(1);
  one.exchanges = {
      {.length = seconds(1), .way = diagnose::ExchangeWay::back, .sent = 8, .received = 8}};
  other = one;
  other.exchanges[0].length = seconds(3);
  diagnose::find_imbalance({{"[0, 1]", 0, &one}, {"[0, 1]", 0, &other}});
  EXPECT_EQ(one.operations[0].imbalance, Time{});
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
