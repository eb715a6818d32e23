// Closed forms of a gradient exchange over a switch whose ports take bytes / 1 GB/s.
#include "traffic/exchange.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

// A layer's backward takes 1 ms and its forward 0.5 ms; its gradient of 10 MB crosses a port in
// 10 ms.
constexpr const char* two_layers =
    "model: {layers: [{forward: 0.5 ms, backward: 1 ms, parameters: 2.5M},"
    " {forward: 0.5 ms, backward: 1 ms, parameters: 2.5M}]}, gradients: fp32";

config::Value exchange(const std::string& traffic, int devices,
                       const std::string& network = "flow") {
  return experiment("traffic: {exchange: " + traffic + ", " + two_layers +
                    "}\nnetwork: " + network + "\ncluster: {devices: " + std::to_string(devices) +
                    ", device: {flops: {bf16: 1 TFLOP/s}, memory: 80 GiB, memory_bandwidth: 1 "
                    "TB/s}, link: {latency: 0 s, bandwidth: 1 GB/s}}\n");
}

double period_ms(const config::Value& value) {
  return in_seconds(run(value).result.metrics.makespan) * 1e3;
}

constexpr double rounding = 1e-5;

// Three workers send 20 MB each to one server, whose port passes 60 MB in 60 ms from 1 ms on. The
// last sum leaves after that, at most 60 MB of it, and a layer's forward is left.
TEST(Exchange, one_server_takes_all_gradients_through_its_port) {
  const double period = period_ms(exchange("parameter-server, servers: 1", 4));
  EXPECT_GE(period, 1 + 60 + 0.5);
  EXPECT_LE(period, 1 + 60 + 60 + 1);
}

// Shards on both workers: each sends half of every gradient to the other and takes half from it, so
// that 5 MB a layer cross each port to be summed and 5 MB come back.
TEST(Exchange, workers_that_are_servers_send_the_others_parts) {
  const double period = period_ms(exchange("parameter-server, overlap: false", 2));
  // 2 ms of backward; 10 MB in and out to be summed (10 ms), and 10 MB back; 1 ms of forward.
  EXPECT_NEAR(period, 2 + 10 + 10 + 1, 0.01);
}

// 2 (n - 1) / n of 20 MB through every port.
TEST(Exchange, a_ring_moves_2_n_minus_1_nths) {
  EXPECT_NEAR(period_ms(exchange("ring, overlap: false", 4)), 2 + 2 * 3 * 20 / 4. + 1, 0.01);
}

TEST(Exchange, what_is_sent_shrinks_with_compression) {
  EXPECT_NEAR(period_ms(exchange("ring, overlap: false, send: 10%", 4)), 2 + 3 + 1, 0.01);
}

TEST(Exchange, a_worker_alone_only_computes) {
  EXPECT_NEAR(period_ms(exchange("ring", 1)), 3, rounding);
  EXPECT_NEAR(period_ms(exchange("parameter-server", 1)), 3, rounding);
}

// The second layer's gradient is there first, at 1 ms, the first one's at 2 ms. By layer, the first
// overtakes: it is through at 2 + 15 ms (ring of 4), and the second, delayed by it, at 1 + 30 ms.
// Its forward is 0.5 ms then; without priorities both end together and both forwards come after.
TEST(Exchange, front_layers_first_lets_the_next_pass_begin_earlier) {
  EXPECT_NEAR(period_ms(exchange("ring, priority: layer", 4)), 1 + 30 + 0.5, 0.1);
  EXPECT_GT(period_ms(exchange("ring", 4)), 1 + 30 + 0.5);
}

TEST(Exchange, packets_carry_it_as_well) {
  const std::string network = "{packet: {mtu: 10000, queue: 100 MB}}";
  const double fluid = period_ms(exchange("ring, overlap: false", 4));
  EXPECT_NEAR(period_ms(exchange("ring, overlap: false", 4, network)), fluid, 0.02 * fluid);
}

TEST(Exchange, what_cannot_be_is_told) {
  const auto error = [](const std::string& traffic) {
    return error_of([&] { run(exchange(traffic, 2)); });
  };
  EXPECT_TRUE(error("ring, servers: 1").ends_with("a ring has no servers"));
  EXPECT_TRUE(error("parameter-server, servers: 2")
                  .ends_with("servers: 2 leaves none of the cluster's 2 devices to work"));
  EXPECT_TRUE(error("rings").find("one of") != std::string::npos ||
              error("rings").find("did you mean") != std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
