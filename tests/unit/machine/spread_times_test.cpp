#include "machine/spread_times.hpp"

#include <gtest/gtest.h>

#include "machine/machine.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Two pairs of nodes with links of 10 GB/s, and two trunks of 5 GB/s between them; 1 us a link.
constexpr const char* trunks =
    "cluster:\n  node: {devices: 1}\n  nodes: 4\n  fabric:\n    kind: graph\n    links:\n"
    "      - {between: [node 0, switch 0], link: {bandwidth: 10 GB/s, latency: 1 us}}\n"
    "      - {between: [node 1, switch 0], link: {bandwidth: 10 GB/s, latency: 1 us}}\n"
    "      - {between: [node 2, switch 1], link: {bandwidth: 10 GB/s, latency: 1 us}}\n"
    "      - {between: [node 3, switch 1], link: {bandwidth: 10 GB/s, latency: 1 us}}\n"
    "      - {between: [switch 0, switch 2], link: {bandwidth: 5 GB/s, latency: 1 us}}\n"
    "      - {between: [switch 1, switch 2], link: {bandwidth: 5 GB/s, latency: 1 us}}\n"
    "      - {between: [switch 0, switch 3], link: {bandwidth: 5 GB/s, latency: 1 us}}\n"
    "      - {between: [switch 1, switch 3], link: {bandwidth: 5 GB/s, latency: 1 us}}\n";

Experiment over_trunks(const std::string& network) {
  return read_experiment(experiment(
      "model: {synthetic: {devices: 4, microbatches: 4, forward: 1 ms, backward: 2 ms, "
      "activation: 1 MiB, boundary: 100 MB, weights: 100 MB}}\nschedule: 1f1b\nnetwork: " +
      network + "\n" + trunks));
}

Time message_over_trunks(const std::string& network, int from = 0, int to = 2) {
  const Experiment e = over_trunks(network);
  return read_machine(e, config::Catalogue{}).prices(e).transfer(from, to, Bytes{2'000'000});
}

// 2 MB over a trunk of 5 GB/s take 400 us, over both 200 us; the route has four links.
TEST(SpreadTimes, a_message_alone_is_as_fast_as_all_its_routes) {
  EXPECT_EQ(message_over_trunks("flow"), microseconds(404));
  EXPECT_EQ(message_over_trunks("{flow: {routing: spray}}"), microseconds(204));
  EXPECT_EQ(message_over_trunks("{packet: {spray: true}}"), microseconds(204));
}

TEST(SpreadTimes, a_message_with_one_route_takes_as_long_as_over_it) {
  EXPECT_EQ(message_over_trunks("{flow: {routing: spray}}", 0, 1),
            message_over_trunks("flow", 0, 1));
}

TEST(SpreadTimes, drawn_routes_are_no_faster_than_all_and_no_slower_than_one) {
  for (const int pairs : {1, 4, 64}) {
    const std::string network =
        "{flow: {routing: ecmp, queue_pairs: " + std::to_string(pairs) + "}}";
    const Experiment e = over_trunks(network);
    Prices prices = read_machine(e, config::Catalogue{}).prices(e);
    for (uint64_t seed = 0; seed < 10; ++seed) {
      draw_routes(seed, prices);
      const Time time = prices.transfer(0, 2, Bytes{2'000'000});
      EXPECT_GE(time, microseconds(204)) << pairs << " " << seed;
      EXPECT_LE(time, microseconds(404)) << pairs << " " << seed;
    }
  }
}

}  // namespace
}  // namespace pipewright::test
