#include "diagnose/diagnose.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

TEST(DiagnoseProfile, a_late_host_is_the_cause) {
  TorchTrace trace;
  for (int i = 0; i < 10; ++i) trace.kernel("gemm", 100 * i + 5, 10, 100 * i);
  const Diagnosis found = diagnose::diagnose_profile(profile_of(trace));
  EXPECT_NEAR(found.typical.measured_s, 910e-6, 1e-9);  // from the first kernel's start
  EXPECT_NEAR(in_seconds(found.breakdown.total()), found.typical.measured_s, 1e-12);
  EXPECT_NEAR(in_seconds(found.breakdown.host), 810e-6, 1e-9);
  EXPECT_GT(found.typical.explained_fraction, 0.95);
  ASSERT_EQ(found.causes.size(), 1u);
  EXPECT_EQ(found.causes[0].kind, CauseKind::host);
  // Ten kernels back to back take 100 us.
  EXPECT_NEAR(found.causes[0].recovered_s, found.typical.simulated_s - 100e-6, 1e-9);
}

TEST(DiagnoseProfile, only_exposed_communication_costs) {
  TorchTrace hidden, exposed;
  hidden.kernel("gemm", 0, 100, 0);
  hidden.collective("allreduce", "DATA_PARALLEL_GROUP", "[0, 1]", 2, 1, 50, 0);
  exposed.kernel("gemm", 0, 100, 0);
  exposed.collective("allreduce", "DATA_PARALLEL_GROUP", "[0, 1]", 2, 101, 50, 0);
  EXPECT_TRUE(diagnose::diagnose_profile(profile_of(hidden, 0, 2)).causes.empty());
  const Diagnosis found = diagnose::diagnose_profile(profile_of(exposed, 0, 2));
  ASSERT_EQ(found.causes.size(), 1u);
  EXPECT_EQ(found.causes[0].kind, CauseKind::communication);
  EXPECT_EQ(found.parallel.data, 2);
}

TEST(DiagnoseProfile, what_nothing_explains_is_said) {
  TorchTrace trace;
  trace.kernel("a", 0, 10, 0).kernel("b", 90, 10, 1);  // asked for at 1 us, begins at 90 us
  const Diagnosis found = diagnose::diagnose_profile(profile_of(trace));
  ASSERT_FALSE(found.notes.empty());
  EXPECT_NE(found.notes.back().find("80 % of the time"), std::string::npos) << found.notes.back();
  EXPECT_NE(found.notes.back().find("'b'"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
