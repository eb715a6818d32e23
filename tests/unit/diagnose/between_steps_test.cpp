#include "diagnose/between_steps.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

/// Ten steps of 2 s, a second apart; after steps 2 and 6 ten seconds more.
diagnose::MeasuredJob ten_steps() {
  std::vector<TracedOperation> all;
  double at = 0;
  for (int step = 0; step < 10; ++step) {
    all.push_back(operation(OperationKind::forward, 0, 0, at, 1, 0, step));
    all.push_back(operation(OperationKind::backward, 0, 0, at + 1, 1, 0, step));
    at += 3 + (step == 2 || step == 6 ? 10 : 0);
  }
  return diagnose::measured_job(std::move(all), "test");
}

TEST(BetweenSteps, what_is_usual_and_what_is_rare) {
  const std::vector<Cause> found = diagnose::between_steps(ten_steps(), 2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].who, "between steps");
  EXPECT_NEAR(found[0].recovered_s, 1, 1e-9);
  EXPECT_EQ(found[1].who, "pauses after steps 2, 6");
  EXPECT_NEAR(found[1].recovered_s, 20.0 / 9, 1e-9);  // of nine times between steps
  for (const Cause& cause : found) EXPECT_FALSE(cause.share);
}

TEST(BetweenSteps, only_steps_that_follow_each_other_count) {
  std::vector<TracedOperation> all;
  for (int step = 0; step < 6; step += 2) {
    all.push_back(operation(OperationKind::forward, 0, 0, 10.0 * step, 1, 0, step));
    all.push_back(operation(OperationKind::backward, 0, 0, 10.0 * step + 1, 1, 0, step));
  }
  EXPECT_TRUE(diagnose::between_steps(diagnose::measured_job(std::move(all), "t"), 2).empty());
}

}  // namespace
}  // namespace pipewright::test
