#include "diagnose/diagnose.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "golden_folder.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

/// The published diagnosis of the job in workloads/traces: its NOTICE names the source.
TEST(Diagnose, a_published_job_has_its_published_diagnosis) {
  const std::string file =
      std::string(golden_folder) + "/../../workloads/traces/straggler_st.csv.gz";
  const Diagnosis found = diagnose::diagnose_operations(read_operation_table(file), file);
  EXPECT_EQ(found.steps.size(), 32u);
  EXPECT_EQ(found.parallel.data, 2);
  EXPECT_EQ(found.parallel.pipeline, 4);
  EXPECT_EQ(found.schedule.name, "1f1b");
  EXPECT_NEAR(found.typical.slowdown, 1.1787, 0.02 * 1.1787);
  // The published figure is without what hosts launch late.
  EXPECT_NEAR(found.typical.simulated_s / found.typical.ideal_s, 1.1787, 0.002 * 1.1787);
  EXPECT_NEAR(found.typical.ideal_s, 1.8433, 0.02 * 1.8433);
  EXPECT_NEAR(found.typical.simulated_s, found.typical.measured_s, 0.02 * found.typical.measured_s);
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes[0].kind, CauseKind::stage);
  EXPECT_EQ(found.causes[0].who, "stage 3");
  EXPECT_NEAR(found.causes[0].share.value(), 1.219, 0.05);
}

TEST(Diagnose, a_step_is_in_its_accounts) {
  const Diagnosis found = diagnose::diagnose_operations(traced("1f1b", 2, 4, 2, 3), "t");
  EXPECT_NEAR(in_seconds(found.breakdown.total()), found.typical.measured_s, 1e-9);
  EXPECT_NEAR(in_seconds(found.breakdown.computing()), 12, 1e-9);
  EXPECT_EQ(found.ranks.size(), 4u);
  for (const DiagnosedRank& rank : found.ranks) EXPECT_NEAR(rank.relative_compute, 1, 1e-9);
}

TEST(Diagnose, an_order_that_cannot_be_is_told) {
  // Each of two ranks receives before it does the pass that the other waits for.
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 5, 1),
                                      operation(OperationKind::backward, 0, 0, 0, 1),
                                      operation(OperationKind::forward, 1, 0, 3, 1),
                                      operation(OperationKind::backward, 1, 0, 6, 1)};
  EXPECT_NE(error_of([&] {
              diagnose::diagnose_operations(all, "t");
            }).find("its operations cannot have run in this order"),
            std::string::npos);
}

// A forward of 1 s and a backward of 2 s on stage 0, 2 s and 4 s on stage 1, one after another: 9
// s. The ideal gives both stages the mean, 1.5 s and 3 s, and takes 9 s, too. A stage 1 that is
// like stage 0 takes 3 s less.
TEST(Diagnose, a_cure_may_go_beyond_the_ideal_which_takes_no_work_away) {
  using enum OperationKind;
  const Diagnosis found = diagnose::diagnose_operations(
      {operation(forward, 0, 0, 0, 1), operation(forward, 1, 0, 1, 2),
       operation(backward, 1, 0, 3, 4), operation(backward, 0, 0, 7, 2)},
      "test");
  EXPECT_NEAR(found.typical.simulated_s, 9, 1e-9);
  EXPECT_NEAR(found.typical.ideal_s, 9, 1e-9);
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes[0].who, "stage 1");
  EXPECT_NEAR(found.causes[0].recovered_s, 3, 1e-9);
  EXPECT_NEAR(found.causes[0].share_of_causes.value(), 1, 1e-9);
  EXPECT_FALSE(found.causes[0].share);
}

}  // namespace
}  // namespace pipewright::test
