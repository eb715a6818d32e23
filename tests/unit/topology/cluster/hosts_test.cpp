#include "topology/cluster/hosts.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

int host_of(const char* cluster) {
  return devices_of_a_host(config::parse(cluster, "c.yaml"), config::Catalogue());
}

TEST(Hosts, a_node_is_one_host_unless_it_says_otherwise) {
  EXPECT_EQ(host_of("{node: dgx-h100, nodes: 4}"), 8);
  EXPECT_EQ(host_of("{node: dgx-2, nodes: 2}"), 16);
  EXPECT_EQ(host_of("{node: gh200-quad, nodes: 2}"), 4);
  EXPECT_EQ(host_of("{node: {base: dgx-h100, host: {devices: 2}}, nodes: 4}"), 2);
}

// NVIDIA's guides: 18 trays of 4 GPUs, each a compute node.
TEST(Hosts, trays_of_a_rack_are_hosts) {
  EXPECT_EQ(host_of("{node: gb200-nvl72, nodes: 4}"), 4);
  EXPECT_EQ(host_of("{node: gb300-nvl72, nodes: 1}"), 4);
}

TEST(Hosts, have_the_devices_that_are_used) {
  EXPECT_EQ(host_of("{node: dgx-h100, nodes: 2, devices: 8}"), 4);
  EXPECT_EQ(host_of("{node: gb200-nvl72, nodes: 4, devices: 256}"), 4);
  EXPECT_EQ(host_of("{node: gb200-nvl72, nodes: 1, devices: 2}"), 2);
  EXPECT_EQ(host_of("{node: gb200-nvl72, nodes: 1, devices: 6}"), 2);
}

TEST(Hosts, of_unlike_nodes_have_as_many_devices_as_divide_each) {
  EXPECT_EQ(host_of("{groups: [{node: dgx-2}, {node: dgx-h100}, {node: gb200-nvl72}]}"), 4);
}

TEST(Hosts, are_not_known_of_devices_by_themselves) {
  EXPECT_EQ(host_of("{devices: 4, link: {bandwidth: 1 GB/s}}"), 0);
  EXPECT_NE(error_of([] { host_of("no-such-cluster"); }), "");
}

}  // namespace
}  // namespace pipewright::test
