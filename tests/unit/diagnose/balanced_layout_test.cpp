#include "diagnose/balanced_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/error.hpp"
#include "diagnose/diagnose.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

/// Eight layers on each of four stages; the last has a head of half as much again.
std::vector<TracedOperation> with_head() {
  return traced("1f1b", 4, 16, 1, 2, [](const TracedOperation& one) {
    return diagnose::computes(one.kind) && one.stage == 3 ? 1.5 : 1.0;
  });
}

TEST(BalancedLayout, layers_move_to_other_stages) {
  const Diagnosis found = diagnose::diagnose_operations(with_head(), "trace", {32});
  ASSERT_FALSE(found.causes.empty());
  const Cause& cause = found.causes[0];
  EXPECT_EQ(cause.who, "stage 3");
  // 32 layers and a head of 4: nine on each stage.
  EXPECT_NE(cause.remedy.find("layers [9, 9, 9, 5] in place of [8, 8, 8, 8]"), std::string::npos)
      << cause.remedy;
  ASSERT_TRUE(cause.remedied_s);
  EXPECT_LT(*cause.remedied_s, cause.recovered_s);
  const Diagnosis even = diagnose::diagnose_operations(
      traced(
          "1f1b", 4, 16, 1, 2,
          [](const TracedOperation& one) { return diagnose::computes(one.kind) ? 9.0 / 8 : 1.0; }),
      "trace");
  EXPECT_NEAR(*cause.remedied_s, found.typical.measured_s - even.typical.measured_s, 1e-6);
}

/// Two ranks of two chunks with these layers on the four stages of the model; each takes its
/// layers, the last a head of two layers, too.
std::vector<TracedOperation> of_layers(const std::vector<int>& layers) {
  return traced("interleaved-1f1b", 2, 8, 1, 1, [&](const TracedOperation& one) {
    if (!diagnose::computes(one.kind)) return 1.0;
    const int stage = one.chunk * 2 + one.stage;
    return layers[static_cast<size_t>(stage)] + (stage == 3 ? 2.0 : 0.0);
  });
}

double step_of(const std::vector<int>& layers) {
  return diagnose::diagnose_operations(of_layers(layers), "trace").typical.measured_s;
}

// Every layout of ten layers is run.
TEST(BalancedLayout, no_layout_of_stages_that_share_ranks_takes_less_time) {
  const std::vector<int> before = {2, 2, 2, 4};
  double best = step_of(before);
  for (int a = 0; a <= 10; ++a)
    for (int b = 0; a + b <= 10; ++b)
      for (int c = 0; a + b + c <= 10; ++c)
        if (a > 0 && b > 0 && c > 0 && a + b + c < 10)
          best = std::min(best, step_of({a, b, c, 10 - a - b - c}));
  const Diagnosis found = diagnose::diagnose_operations(of_layers(before), "trace", before);
  const auto advised = std::ranges::find_if(
      found.causes, [](const Cause& one) { return one.remedied_s.has_value(); });
  ASSERT_NE(advised, found.causes.end());
  EXPECT_NEAR(found.typical.measured_s - *advised->remedied_s, best, 0.01 * best)
      << advised->remedy;
}

// One layout is for all stages: what it brings is not counted for each of them.
TEST(BalancedLayout, what_a_layout_brings_stands_once) {
  const auto trace = traced("1f1b", 4, 16, 1, 2, [](const TracedOperation& one) {
    return diagnose::computes(one.kind) && one.stage >= 2 ? 1.2 + 0.2 * one.stage : 1.0;
  });
  const Diagnosis found = diagnose::diagnose_operations(trace, "trace", {32});
  EXPECT_EQ(std::ranges::count_if(found.causes,
                                  [](const Cause& one) { return one.remedied_s.has_value(); }),
            1);
}

// A law over random jobs. A remedy that is for several causes says so, and brings no more than all.
TEST(BalancedLayout, a_layout_brings_no_more_than_the_cure_of_what_it_is_for) {
  std::mt19937 dice(22);
  std::uniform_real_distribution<double> factor(1, 2);
  for (int job = 0; job < 60; ++job) {
    const int stages = 2 + job % 4, chunks = job % 3 == 0 ? 2 : 1;
    std::vector<double> factors;
    for (int stage = 0; stage < stages * chunks; ++stage)
      factors.push_back(dice() % 2 == 0 ? 1 : factor(dice));
    const auto trace =
        traced(chunks == 2 ? "interleaved-1f1b" : "1f1b", stages, 2 * stages, 1, 1,
               [&](const TracedOperation& one) {
                 if (!diagnose::computes(one.kind)) return 1.0;
                 return factors[static_cast<size_t>(std::max(one.chunk, 0) * stages + one.stage)];
               });
    double all = 0;
    const Diagnosis found = diagnose::diagnose_operations(trace, "trace", {8 * stages * chunks});
    for (const Cause& cause : found.causes)
      if (cause.kind == CauseKind::stage) all += cause.attributed_s;
    for (const Cause& cause : found.causes) {
      const bool is_for_others = cause.remedy.find("other causes, too") != std::string::npos;
      EXPECT_LE(cause.gain_s(), (is_for_others ? all : cause.recovered_s) + 1e-9)
          << job << ": " << cause.who << ": " << cause.remedy;
    }
  }
}

TEST(BalancedLayout, without_layers_work_is_spread_evenly) {
  const Diagnosis found = diagnose::diagnose_operations(with_head(), "trace");
  ASSERT_TRUE(found.causes.at(0).remedied_s);
  EXPECT_NE(found.causes[0].remedy.find("spread evenly"), std::string::npos);
}

TEST(BalancedLayout, a_stage_that_the_trace_lacks_takes_no_layers) {
  std::vector<TracedOperation> trace = with_head();
  std::erase_if(trace, [](const TracedOperation& one) { return one.stage == 0; });
  for (const Cause& cause : diagnose::diagnose_operations(trace, "trace").causes)
    EXPECT_FALSE(cause.remedied_s) << cause.who;
}

TEST(BalancedLayout, layers_must_be_those_of_the_stages) {
  EXPECT_THROW(diagnose::diagnose_operations(with_head(), "trace", {30}), InputError);
  EXPECT_THROW(diagnose::diagnose_operations(with_head(), "trace", {8, 8, 8}), InputError);
}

}  // namespace
}  // namespace pipewright::test
