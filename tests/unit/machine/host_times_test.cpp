#include "machine/host_times.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pipewright::test {
namespace {

HostTimes hosts(const std::string& rest) {
  Experiment e;
  e.framework = Framework::megatron;
  if (rest == "graph") e.launches.kind = Launches::graph;
  if (rest == "blocking") e.launches.kind = Launches::blocking;
  if (rest == "nanotron") e.framework = Framework::nanotron;
  if (rest == "jax") e.framework = Framework::jax;
  if (rest == "eager") e.kernels = KernelFusion::eager;
  return host_times(e);
}

// 134 operators of 15 us for 32 kernels.
TEST(HostTimes, are_operators_times_what_one_takes) {
  EXPECT_NEAR(in_seconds(hosts("").launch), 134.0 / 32 * 15e-6, 1e-9);
  EXPECT_NEAR(in_seconds(hosts("").collective), 3 * 15e-6, 1e-9);
}

TEST(HostTimes, differ_by_framework) {
  EXPECT_GT(hosts("nanotron").launch, hosts("eager").launch);
  EXPECT_GT(hosts("eager").launch, hosts("").launch);
  EXPECT_LT(hosts("jax").launch, microseconds(5));
}

// calibrate/profiles/h100-sxm.torch.csv: beside plain PyTorch's 2.84 ms a layer 1.58 compiled, and
// 3.22 more under FSDP2, which gathers a layer twice and reduces it once.
TEST(HostTimes, of_compiled_and_sharded_layers_are_as_measured) {
  Experiment e;
  e.framework = Framework::torchtitan;
  e.kernels = KernelFusion::fused;
  const double kernels = 26;  // of ours, in a layer of that Llama, forward and backward
  const double slower = 2.84 / 1.99;
  EXPECT_NEAR(kernels * in_seconds(host_times(e).launch) * slower, 1.58e-3, 0.05e-3);
  const Time whole = host_times(e).collective;
  e.parallel.zero = 3;
  EXPECT_NEAR(3 * in_seconds(host_times(e).collective) * slower, 3.22e-3, 0.05e-3);
  EXPECT_LT(whole, host_times(e).collective);
}

// NVIDIA/TransformerEngine, issue 2897: two grouped products of 64 experts, forward and backward
// six, take 3.3 ms, of which their two fused kernels and copies are 0.2.
TEST(HostTimes, of_the_weights_of_experts_are_as_measured) {
  EXPECT_NEAR(in_seconds(hosts("").part) * 6 * 64, 3.1e-3, 0.1e-3);
  EXPECT_EQ(hosts("nanotron").part, Time{}) << "which has none of Transformer Engine's modules";
}

// 23 operators of 15 us for a layer's graph forward and its graph back.
TEST(HostTimes, of_a_graph_of_a_module_are_a_few_operators) {
  EXPECT_NEAR(in_seconds(hosts("").graph()), 23.0 / 2 * 15e-6, 1e-6);
}

TEST(HostTimes, of_one_graph_are_nothing) {
  EXPECT_EQ(hosts("graph").launch, Time{});
  EXPECT_FALSE(hosts("").waits);
  EXPECT_TRUE(hosts("blocking").waits);
}

TEST(HostTimes, stop_where_stages_meet) {
  Experiment e;
  e.parallel.pipeline = 2;
  EXPECT_FALSE(host_times(e).stops);
  e.overlap.p2p.mode = SendMode::rendezvous;
  EXPECT_TRUE(host_times(e).stops);
  e.parallel.pipeline = 1;
  EXPECT_FALSE(host_times(e).stops) << "nobody to meet";
}

HostTimes checked_hosts() {
  Experiment e;
  e.framework = Framework::nanotron;
  e.given_checks = CollectiveChecks::detail;
  return host_times(e);
}

// The medians of the measurement that the head of host_times.cpp names, in seconds by ranks.
TEST(HostTimes, of_comparisons_are_those_measured) {
  const std::pair<size_t, double> measured[] = {
      {2, 0.56e-3}, {3, 0.85e-3}, {4, 1.04e-3}, {6, 1.62e-3}, {8, 2.15e-3}};
  for (const auto& [ranks, time_s] : measured)
    EXPECT_NEAR(in_seconds(checked_hosts().checks(ranks)) / time_s, 1, 0.05) << ranks << " ranks";
}

TEST(HostTimes, have_no_comparisons_unless_asked_for) {
  EXPECT_EQ(hosts("nanotron").checks(8), Time{});
  EXPECT_EQ(hosts("nanotron").starts(8), hosts("nanotron").collective);
  EXPECT_EQ(checked_hosts().starts(8), checked_hosts().collective + checked_hosts().checks(8));
}

}  // namespace
}  // namespace pipewright::test
