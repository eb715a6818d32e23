#include "diagnose/diagnose.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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

// The device goes on from kernel to kernel by itself: nothing is unexplained, and no host can mend
// it.
TEST(DiagnoseProfile, a_graph_waits_for_no_host) {
  TorchTrace trace;
  trace.kernel("gemm", 1, 10, 0);
  for (int i = 1; i < 10; ++i) trace.next_of_graph("gemm", 1 + 15 * i, 10);
  const Diagnosis found = diagnose::diagnose_profile(profile_of(trace));
  EXPECT_TRUE(found.causes.empty());
  EXPECT_TRUE(found.notes.empty());
  EXPECT_NEAR(found.typical.explained_fraction, 1, 1e-9);
}

// Five steps of ten kernels of 10 us that a host launches at once; then it loads data for 400 us.
TEST(DiagnoseProfile, what_a_host_does_between_steps_is_a_cause_of_its_own) {
  TorchTrace trace;
  for (int step = 0; step < 5; ++step) {
    const double at = 500 * step;
    trace.range("ProfilerStep#" + std::to_string(step), at, 499);
    for (int i = 0; i < 10; ++i) trace.kernel("gemm", at + 2 + 10 * i, 10, at);
  }
  const Diagnosis found = diagnose::diagnose_profile(profile_of(trace));
  EXPECT_NEAR(found.typical.measured_s, 500e-6, 1e-9);
  EXPECT_GT(found.typical.explained_fraction, 0.95);
  ASSERT_EQ(found.causes.size(), 1u);
  EXPECT_EQ(found.causes[0].who, "between steps");
  EXPECT_NEAR(found.causes[0].recovered_s, (4 * 398e-6 + 397e-6) / 5,
              1e-9);  // the last mark ends 1 us earlier
}

// Exchanges of all with all are sends and receives to NCCL, and no pipeline is there. From 152 to
// 200 us the device stands still though its host has asked for more.
TEST(DiagnoseProfile, a_range_that_names_a_collective_makes_it_no_message) {
  TorchTrace trace;
  trace.kernel("gemm", 1, 100, 0);
  trace.range("nccl:all_to_all", 2, 5)
      .kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", 102, 50, 3, 1, 20);
  trace.kernel("gemm", 200, 100, 4);
  Diagnosis found = diagnose::diagnose_profile(profile_of(trace, 0, 8));
  EXPECT_EQ(found.breakdown.bubble, microseconds(48));
  EXPECT_EQ(found.breakdown[Traffic::pipeline], Time{});
  EXPECT_EQ(found.breakdown[Traffic::expert], microseconds(50));
}

// Steps of 260 us: a host launches five kernels of 30 us, each 40 us after the last, and loads data
// for 100 us. Kernels that come at once take 150 us and hide that. With data that are there a step
// lasts until the last kernel ends.
TEST(DiagnoseProfile, a_late_host_does_not_hide_what_it_does_between_steps) {
  TorchTrace trace;
  for (int step = 0; step < 6; ++step) {
    const double at = 260 * step;
    trace.range("ProfilerStep#" + std::to_string(step), at, 259);
    for (int i = 0; i < 5; ++i) trace.kernel("gemm", at + 40 * i + 2, 30, at + 40 * i);
  }
  const Diagnosis found = diagnose::diagnose_profile(profile_of(trace));
  std::vector<std::string> who;
  for (const Cause& cause : found.causes) who.push_back(cause.who);
  std::ranges::sort(who);
  EXPECT_EQ(who, (std::vector<std::string>{"between steps", "launches of kernels"}));
}

TEST(DiagnoseProfile, without_launches_gaps_are_of_nobody) {
  const TemporaryFolder folder;
  const RankProfile profile = read_torch_profile(folder.write("t.json", R"({"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 0, "dur": 100, "args": {"stream": 7}},
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 300, "dur": 100, "args": {"stream": 7}}]})"));
  const Diagnosis found = diagnose::diagnose_profile(profile);
  ASSERT_EQ(found.causes.size(), 1u);
  EXPECT_EQ(found.causes[0].who, "gaps between kernels");
  EXPECT_NEAR(found.causes[0].recovered_s, 200e-6, 1e-9);
}

}  // namespace
}  // namespace pipewright::test
