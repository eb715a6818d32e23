#include "engine/host_load.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

HostLoad load(int64_t busy, int64_t issued) {
  HostLoad load;
  load.add(microseconds(busy), microseconds(issued));
  return load;
}

// The backward pass leaves its host 30 us, of which the forward pass lacks 10.
TEST(HostLoad, a_lead_is_used_by_the_passes_that_lack_it) {
  const HostLoad passes[] = {load(40, 50), load(90, 60)};
  EXPECT_EQ(host_waits(passes, {}), (std::vector<Time>{Time{}, Time{}}));
  const HostLoad behind[] = {load(40, 100), load(90, 60)};  // lacks 60, leads by 30: half is waited
  EXPECT_EQ(host_waits(behind, {}), (std::vector<Time>{microseconds(30), Time{}}));
}

TEST(HostLoad, no_lead_is_kept_where_hosts_wait_between_passes) {
  const HostLoad passes[] = {load(40, 50), load(90, 60)};
  EXPECT_EQ(host_waits(passes, {.stops = true}), (std::vector<Time>{microseconds(10), Time{}}));
}

TEST(HostLoad, where_hosts_wait_for_each_kernel_starting_them_adds_up) {
  const HostLoad passes[] = {load(40, 50), load(90, 60)};
  EXPECT_EQ(host_waits(passes, {.waits = true}),
            (std::vector<Time>{microseconds(50), microseconds(60)}));
}

// The second op lacks 15 us; that the first has 35 to spare does not help it.
TEST(HostLoad, each_op_of_a_pass_that_stops_waits_for_itself) {
  HostLoad pass;
  pass.add(microseconds(50), microseconds(15));
  pass.add(microseconds(10), microseconds(25));
  pass.stops = true;
  EXPECT_EQ(host_waits(std::span(&pass, 1), {}), std::vector<Time>{microseconds(15)});
}

// The first pass has 60 us to spare, and waits in it for its device.
TEST(HostLoad, a_lead_ends_where_a_host_waits_for_its_device) {
  HostLoad passes[] = {load(160, 100), load(20, 100)};
  EXPECT_EQ(host_waits(passes, {}), (std::vector<Time>{Time{}, microseconds(20)}));
  passes[0].stops = true;
  EXPECT_EQ(host_waits(passes, {}), (std::vector<Time>{Time{}, microseconds(80)}));
}

}  // namespace
}  // namespace pipewright
