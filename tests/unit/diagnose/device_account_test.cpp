#include "diagnose/device_work.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

TEST(DeviceAccount, every_moment_is_in_one_place) {
  TorchTrace trace;
  // 0..10 compute; 10..25 an all-reduce, of which 5..10 is hidden; 25..40 the host is late; 40..50.
  trace.kernel("a", 0, 10, 0).kernel("b", 40, 10, 39);
  trace.collective("allreduce", "TENSOR_MODEL_PARALLEL_GROUP", "[0, 1]", 2, 5, 20, 1);
  const Breakdown found = diagnose::account_of(work_of(trace, 2), 0);
  EXPECT_EQ(found.total(), microseconds(50));
  EXPECT_EQ(found.computing(), microseconds(20));
  EXPECT_EQ(found.exposed[static_cast<size_t>(Traffic::tensor)], microseconds(15));
  EXPECT_EQ(found.host, microseconds(15));
  EXPECT_EQ(found.bubble, Time{});
}

TEST(DeviceAccount, in_a_pipeline_what_was_launched_waits_for_others) {
  TorchTrace trace;
  trace.kernel("a", 0, 10, 0);
  trace.collective("recv", "PIPELINE_MODEL_PARALLEL_GROUP", "[0, 1]", 2, 10, 40, 1);
  trace.kernel("b", 50, 10, 15);
  trace.collective("recv", "PIPELINE_MODEL_PARALLEL_GROUP", "[0, 1]", 2, 60, 4, 2);
  trace.kernel("c", 64, 10, 20);
  const Breakdown found = diagnose::account_of(work_of(trace, 2), 0);
  // Both messages take 4 us to move. Of the other 36 the host needed 5 to launch what comes next.
  EXPECT_EQ(found.exposed[static_cast<size_t>(Traffic::pipeline)], microseconds(8));
  EXPECT_EQ(found.host, microseconds(5));
  EXPECT_EQ(found.bubble, microseconds(31));
  EXPECT_EQ(found.total(), microseconds(74));
}

// One launch at 0 starts a, b and c; their pauses of 4 us are the device's. The host is late with
// d.
TEST(DeviceAccount, within_a_graph_no_host_is_late) {
  TorchTrace trace;
  trace.kernel("a", 1, 10, 0).next_of_graph("b", 15, 10).next_of_graph("c", 29, 10);
  trace.kernel("d", 50, 10, 49);
  const Breakdown found = diagnose::account_of(work_of(trace), 0);
  EXPECT_EQ(found.computing(), microseconds(48));
  EXPECT_EQ(found.host, microseconds(11));
  EXPECT_EQ(found.total(), microseconds(59));
}

// The host asks for b at 5 and for c at 6. The stream stands still for 40 us before b, which no
// launch would shorten, and goes on to c within 2 us. The host is late with d.
TEST(DeviceAccount, a_host_that_asked_before_the_device_stood_still_is_not_late) {
  TorchTrace trace;
  trace.kernel("a", 0, 10, 0).kernel("b", 50, 10, 5).kernel("c", 62, 10, 6);
  trace.kernel("d", 80, 10, 79);
  const Breakdown found = diagnose::account_of(work_of(trace), 0);
  EXPECT_EQ(found.computing(), microseconds(42));
  EXPECT_EQ(found.bubble, microseconds(40));
  EXPECT_EQ(found.host, microseconds(8));
  EXPECT_EQ(found.total(), microseconds(90));
}

// A device alone communicates with nobody: what fills and copies its own memory is its compute.
TEST(DeviceAccount, what_stays_on_the_device_is_no_communication) {
  TorchTrace trace;
  trace.kernel("a", 0, 10, 0);
  trace.copy("Memset (Device)", 10, 5, 1).copy("Memcpy DtoD (Device -> Device)", 15, 5, 2);
  trace.copy("Memcpy HtoD (Pinned -> Device)", 20, 5, 3).kernel("b", 25, 10, 4);
  const Breakdown found = diagnose::account_of(work_of(trace), 0);
  EXPECT_EQ(found.computing(), microseconds(30));
  EXPECT_EQ(found.exposed[static_cast<size_t>(Traffic::host)], microseconds(5));
  EXPECT_EQ(found.communicating(), microseconds(5));
  EXPECT_EQ(found.total(), microseconds(35));
}

TEST(DeviceAccount, kernels_on_two_streams_count_once) {
  TorchTrace trace;
  trace.kernel("a", 0, 10, 0, 1, 7).kernel("b", 5, 10, 1, 1, 8);
  EXPECT_EQ(diagnose::account_of(work_of(trace), 0).computing(), microseconds(15));
}

}  // namespace
}  // namespace pipewright::test
