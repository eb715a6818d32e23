#include "diagnose/beside_communication.hpp"

#include <gtest/gtest.h>

#include "diagnose/diagnose.hpp"
#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

/// Twelve kernels one after another. The last six take `slower` times as long; beside five of them
/// there is a collective.
TorchTrace twelve_kernels(double slower) {
  TorchTrace trace;
  double at = 0;
  for (int i = 0; i < 12; ++i) {
    const double length = i < 6 ? 100 : 100 * slower;
    trace.kernel("gemm", at, length, 0);
    at += length;
  }
  trace.collective("allreduce", "DATA_PARALLEL_GROUP", "[0, 1]", 2, 600, 500 * slower, 0);
  return trace;
}

TEST(BesideCommunication, kernels_of_one_place_are_compared) {
  const Diagnosis found = diagnose::diagnose_profile(profile_of(twelve_kernels(1.2), 0, 2));
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes[0].who, "compute beside communication");
  EXPECT_EQ(found.causes[0].kind, CauseKind::communication);
  EXPECT_NEAR(found.causes[0].recovered_s, 5 * 20e-6, 1e-9);
}

TEST(BesideCommunication, kernels_that_are_as_fast_are_none) {
  EXPECT_TRUE(diagnose::diagnose_profile(profile_of(twelve_kernels(1.0), 0, 2)).causes.empty());
}

}  // namespace
}  // namespace pipewright::test
