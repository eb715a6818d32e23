#include "diagnose/balanced_layout.hpp"

#include <gtest/gtest.h>

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
