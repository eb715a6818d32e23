#include "interop/nsys_devices.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "nsys_trace.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

interop::NsysDevices devices_of(const NsysTrace& trace) {
  const TemporaryFolder folder;
  return interop::read_nsys_devices(interop::SqliteFile(trace.write(folder.path() + "/x")));
}

TEST(NsysDevices, a_device_of_a_process_with_kernels_is_a_rank) {
  NsysTrace trace;
  trace.kernel("a", 10, 5, 1, {.device = 0, .process = 4});
  trace.kernel("b", 20, 5, 2, {.device = 1, .process = 5, .stream = 9});
  trace.kernel("a", 30, 5, 3, {.device = 1, .process = 5});
  trace.copy(40, 2, 4, {.device = 0, .process = 5});  // touches another device than its own
  trace.copy(50, 2, 4, {.device = 1, .process = 5});
  const interop::NsysDevices found = devices_of(trace);
  ASSERT_EQ(found.profiles.size(), 2u);
  ASSERT_EQ(found.profiles[1].events.size(), 3u);
  const ProfiledEvent& first = found.profiles[1].events[0];
  EXPECT_EQ(found.profiles[1].name(first), "b");
  EXPECT_EQ(first.start, microseconds(20));
  EXPECT_EQ(first.duration, microseconds(5));
  EXPECT_EQ(first.stream, 9);
  EXPECT_EQ(found.profiles[1].events[2].category, EventCategory::copy);
}

TEST(NsysDevices, what_is_no_trace_of_kernels_says_how_to_make_one) {
  EXPECT_NE(error_of([] {
              devices_of(NsysTrace().without("CUPTI_ACTIVITY_KIND_KERNEL"));
            }).find("--trace=cuda,nvtx"),
            std::string::npos);
  EXPECT_NE(error_of([] { devices_of(NsysTrace()); }).find("no kernel is in this trace"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              devices_of(NsysTrace().kernel("k", 0, 1, 0).without("StringIds"));
            }).find("StringIds"),
            std::string::npos);
}

TEST(NsysDevices, a_time_beyond_all_sessions_is_an_error) {
  EXPECT_NE(error_of([] { devices_of(NsysTrace().kernel("k", 3e12, 1, 0)); }).find("23 days"),
            std::string::npos);
  EXPECT_NE(error_of([] { devices_of(NsysTrace().kernel("k", 9, -2, 0)); }).find("backwards"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
