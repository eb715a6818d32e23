#include "diagnose/run_change.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "diagnose/diagnose.hpp"
#include "unit/diagnose/jobs.hpp"
#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

/// Two steps of a job whose third stage takes `factor` times as long.
std::vector<TracedOperation> trace(double factor) {
  return traced("1f1b", 4, 8, 2, 2, [=](const TracedOperation& one) {
    return one.stage == 2 && diagnose::is_pass(one.kind) ? factor : 1.0;
  });
}

Diagnosis job(double factor) {
  return diagnose::diagnose_operations(trace(factor), factor > 1 ? "slow" : "good");
}

void expect_negative(const Changed& one, const Changed& other) {
  EXPECT_EQ(one.name, other.name);
  EXPECT_EQ(one.change_s(), -other.change_s());
  EXPECT_EQ(one.before_s, other.after_s);
}

TEST(RunChange, the_other_way_it_is_its_negative) {
  const Diagnosis a = job(1), b = job(1.5);
  const RunChange there = diagnose::change_between(a, b), back = diagnose::change_between(b, a);
  EXPECT_EQ(there.source, "good");
  EXPECT_EQ(back.source, "slow");
  expect_negative(there.measured, back.measured);
  expect_negative(there.simulated, back.simulated);
  expect_negative(there.ideal, back.ideal);
  ASSERT_EQ(there.parts.size(), back.parts.size());
  for (size_t i = 0; i < there.parts.size(); ++i) expect_negative(there.parts[i], back.parts[i]);
  ASSERT_EQ(there.causes.size(), back.causes.size());
  for (size_t i = 0; i < there.causes.size(); ++i) {
    EXPECT_EQ(there.causes[i].kind, back.causes[i].kind);
    expect_negative(there.causes[i].recovered, back.causes[i].recovered);
  }
}

TEST(RunChange, a_fault_that_came_is_what_changed_most) {
  const RunChange change = diagnose::change_between(job(1), job(1.5));
  ASSERT_FALSE(change.causes.empty());
  EXPECT_EQ(change.causes[0].kind, CauseKind::stage);
  EXPECT_EQ(change.causes[0].recovered.name, "stage 2");
  EXPECT_EQ(change.causes[0].recovered.before_s, 0);
  EXPECT_NEAR(change.measured.change_s(), step_seconds(trace(1.5), 2) - step_seconds(trace(1), 2),
              1e-6);
  EXPECT_EQ(change.parts[0].name, "bubble");
}

TEST(RunChange, parts_add_up_to_the_step) {
  const RunChange change = diagnose::change_between(job(1), job(1.5));
  double sum = 0;
  for (const Changed& part : change.parts) sum += part.change_s();
  EXPECT_NEAR(sum, change.measured.change_s(), 1e-9);
}

TEST(RunChange, a_run_against_itself_did_not_change) {
  const RunChange change = diagnose::change_between(job(1.5), job(1.5));
  EXPECT_EQ(change.measured.change_s(), 0);
  for (const Changed& part : change.parts) EXPECT_EQ(part.change_s(), 0);
  for (const ChangedCause& cause : change.causes) EXPECT_EQ(cause.recovered.change_s(), 0);
  EXPECT_TRUE(change.notes.empty());
}

TEST(RunChange, the_kernel_that_takes_longer_is_first) {
  const auto of = [](double gemm) {
    TorchTrace trace;
    trace.kernel("norm", 0, 10, 0).kernel("gemm", 10, gemm, 1).kernel("gemm", 10 + gemm, gemm, 2);
    return diagnose::diagnose_profile(profile_of(trace));
  };
  const RunChange change = diagnose::change_between(of(20), of(35));
  ASSERT_EQ(change.kernels.size(), 2u);
  EXPECT_EQ(change.kernels[0].name, "gemm");
  EXPECT_NEAR(change.kernels[0].change_s(), 30e-6, 1e-12);
  EXPECT_EQ(change.kernels[1].change_s(), 0);
}

TEST(RunChange, jobs_that_are_not_alike_are_said_so) {
  const Diagnosis other = diagnose::diagnose_operations(traced("1f1b", 2, 8, 2, 2), "other");
  const RunChange change = diagnose::change_between(job(1), other);
  EXPECT_EQ(change.notes, std::vector<std::string>{"pipeline was 4, is 2"});
}

}  // namespace
}  // namespace pipewright::test
