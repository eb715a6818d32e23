#include "convert/job/hosts.hpp"

#include <gtest/gtest.h>

#include "../megatron/lines_of.hpp"

namespace pipewright::test {
namespace {

job::Hosts hosts_on(const std::string& cluster, const std::string& parallel) {
  return job::hosts_of(
      experiment_of("model: {transformer: {layers: 8, hidden: 256, heads: 8, vocabulary: 1024}}\n"
                    "batch: {global: 1024, micro: 1, sequence: 128}\nschedule: 1f1b\ncluster: " +
                    cluster + "\nparallel: " + parallel + "\n"));
}

// A tray of an NVL72 has four GPUs: 256 are 64 hosts.
TEST(JobHosts, a_rack_is_as_many_hosts_as_it_has_trays) {
  const job::Hosts hosts =
      hosts_on("{node: gb200-nvl72, nodes: 4, devices: 256}", "{tensor: 8, data: 32}");
  EXPECT_EQ(hosts.count, 64);
  EXPECT_EQ(hosts.ranks, 4);
}

TEST(JobHosts, a_node_is_one_host) {
  const job::Hosts hosts = hosts_on("{node: dgx-2, nodes: 2}", "{tensor: 8, data: 4}");
  EXPECT_EQ(hosts.count, 2);
  EXPECT_EQ(hosts.ranks, 16);
}

TEST(JobHosts, replicas_that_nobody_counts_fill_the_cluster) {
  const job::Hosts hosts = hosts_on("{node: dgx-h100, nodes: 4}", "{tensor: 8}");
  EXPECT_EQ(hosts.count, 4);
  EXPECT_EQ(hosts.ranks, 8);
}

TEST(JobHosts, ranks_may_be_fewer_than_a_host_has_devices) {
  const job::Hosts hosts = hosts_on("{node: dgx-h100, nodes: 1}", "{tensor: 2, data: 2}");
  EXPECT_EQ(hosts.count, 1);
  EXPECT_EQ(hosts.ranks, 4);
}

// PyTorch's launcher starts only the processes of its own host, and hosts have to meet somewhere.
TEST(JobHosts, several_hosts_meet) {
  EXPECT_EQ(job::torchrun({1, 8}), "torchrun --nnodes 1 --nproc-per-node 8");
  EXPECT_NE(job::torchrun({2, 8}).find("--rdzv-backend c10d --rdzv-endpoint"), std::string::npos);
  EXPECT_EQ(job::started_on({1, 8}), "");
  EXPECT_NE(job::started_on({64, 4}).find("64 hosts"), std::string::npos);
  EXPECT_NE(job::started_by({64, 4}, "-m torchtitan.train").find("--nproc-per-node 4"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
