// When flows end that share links.
#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// When flows between four devices on links of 1 GB/s end.
std::vector<Time> ends_of(const std::string& flows, const std::string& network = "flow") {
  const auto run = pipewright::test::run(experiment(
      "traffic: " + flows +
      "\ncluster: {devices: 4, link: {latency: 0 us, bandwidth: 1 GB/s}}\nnetwork: " + network +
      "\n"));
  std::vector<Time> ends;
  for (const FlowResult& flow : run.result.traffic.flows) ends.push_back(flow.end);
  return ends;
}

/// `count` flows of 1 GB over one link, of the weights `first` and, all others, `weight`.
std::string weighted(int count, const std::string& first, const std::string& weight) {
  std::string flows = "[{from: 0, to: 1, bytes: 1 GB, weight: " + first + "}";
  for (int k = 1; k < count; ++k)
    flows += ", {from: 0, to: 1, bytes: 1 GB, weight: " + weight + "}";
  return flows + "]";
}

// Four flows of 1 GB over one link of 1 GB/s: 4 s, or up to a hundredth of that bandwidth less.
TEST(Tolerance, leaves_at_most_that_part_of_a_full_link_unused) {
  const double end =
      in_seconds(ends_of("[{from: 0, to: 1, bytes: 1 GB}, {from: 0, to: 1, bytes: 1 GB}, "
                         "{from: 0, to: 1, bytes: 1 GB}, {from: 0, to: 1, bytes: 1 GB}]",
                         "{flow: {tolerance: 0.01}}")
                     .back());
  EXPECT_GE(end, 4);
  EXPECT_LE(end, 4 / 0.99);
  EXPECT_NE(end, 4);
}

TEST(Tolerance, is_for_traffic_and_says_so) {
  EXPECT_NE(error_of([] {
              run(
                  experiment("model: {synthetic: {devices: 2, microbatches: 2, forward: 1 ms, "
                             "backward: 2 ms}}\ncluster: {devices: 2, link: {latency: 1 us}}\n"
                             "schedule: 1f1b\nnetwork: {flow: {tolerance: 0.01}}\n"));
            }).find("'tolerance' is for the flows of a traffic experiment"),
            std::string::npos);
}

// Only ratios matter, however small or large the weights are.
TEST(Weights, are_relative) {
  const std::vector<Time> expected = ends_of(weighted(3, "4", "1"));
  for (const auto& [first, others] :
       {std::pair{"4e-6", "1e-6"}, {"1e6", "250000"}, {"0.5", "0.125"}}) {
    const std::vector<Time> ends = ends_of(weighted(3, first, others));
    for (size_t k = 0; k < ends.size(); ++k)
      EXPECT_NEAR(in_seconds(ends[k]), in_seconds(expected[k]), 1e-3) << first << " " << k;
  }
}

// Each takes 1 GB over its part of 1 GB/s.
TEST(Weights, of_many_heavy_flows_are_scaled) {
  for (const Time end : ends_of(weighted(1500, "1e6", "1e6")))
    EXPECT_NEAR(in_seconds(end), 1500, 1e-6);
}

TEST(Weights, of_flows_over_many_ways_are_scaled) {
  for (const Time end :
       ends_of(weighted(2, "1e-6", "1e-6"), "{flow: {routing: ecmp, queue_pairs: 1024}}"))
    EXPECT_NEAR(in_seconds(end), 2, 1e-6);
}

TEST(Weights, that_differ_too_much_to_be_held_together_are_refused) {
  EXPECT_NE(error_of([] {
              ends_of(weighted(2, "1e-6", "1e6"), "{flow: {routing: ecmp, queue_pairs: 1024}}");
            }).find("differ too much to be held together"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
