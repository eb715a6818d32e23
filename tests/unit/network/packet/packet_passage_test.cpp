// Where packets leave in the order in which they come it is planned when each does. Law: that
// changes nothing. A flow of another priority, which meets no other, has every queue looked after
// packet by packet.
#include <gtest/gtest.h>

#include "base/mixed.hpp"
#include "network/packet/packet_network.hpp"
#include "support/fat_tree_traffic.hpp"
#include "support/network_units.hpp"

namespace pipewright {
namespace {

using test::us;

/// Random flows between the hosts of a fat-tree, of which some ports are slow and one port takes no
/// time, and a flow over a port of its own.
class Law {
 public:
  explicit Law(uint64_t seed) : tree_(4), ports_(tree_.links() + 1, Bandwidth{1e9}) {
    for (size_t port = 0; port < tree_.links(); ++port)
      ports_[port].bytes_per_s /= static_cast<double>(1 + mixed(seed ^ port) % 3);
    ports_[tree_.hosts() * 2].bytes_per_s = std::numeric_limits<double>::infinity();
    std::mt19937_64 random(seed);
    for (size_t k = 0; k < 60; ++k) {
      const uint32_t from = test::FatTree::draw(random, tree_.hosts());
      const uint32_t to =
          (from + 1 + test::FatTree::draw(random, tree_.hosts() - 1)) % tree_.hosts();
      PacketRoute& route = routes_.emplace_back();
      for (const uint32_t link : tree_.route(from, to, random))
        route.push_back({link, nanoseconds(test::FatTree::draw(random, 2000))});
      bytes_.push_back({1 + static_cast<int64_t>(random() % 300'000)});
      starts_.push_back(static_cast<int64_t>(random() % 3) * us);
    }
    apart_ = {{tree_.links(), us}};
  }

  void expect_the_same(const PacketOptions& options) const {
    const PacketTraffic planned = run(options, 0), looked_after = run(options, 1);
    for (size_t flow = 0; flow < routes_.size(); ++flow) {
      EXPECT_EQ(planned.flows[flow].end, looked_after.flows[flow].end) << flow;
      EXPECT_EQ(planned.flows[flow].dropped, looked_after.flows[flow].dropped);
      EXPECT_EQ(planned.flows[flow].dropped_small, looked_after.flows[flow].dropped_small);
      EXPECT_EQ(planned.flows[flow].repeated, looked_after.flows[flow].repeated);
      EXPECT_EQ(planned.flows[flow].timeouts, looked_after.flows[flow].timeouts);
    }
    EXPECT_EQ(planned.dropped, looked_after.dropped);
    EXPECT_EQ(planned.sent, looked_after.sent);
    EXPECT_LT(planned.events, looked_after.events);
  }

 private:
  PacketTraffic run(const PacketOptions& options, int priority) const {
    std::vector<PacketFlow> flows;
    for (size_t k = 0; k < routes_.size(); ++k)
      flows.push_back(
          {.routes = {&routes_[k], &routes_[k]}, .bytes = bytes_[k], .start = starts_[k]});
    flows.push_back({.routes = {&apart_}, .bytes = {1}, .priority = priority});
    return run_packets(flows, ports_, options);
  }

  test::FatTree tree_;
  std::vector<Bandwidth> ports_;
  std::vector<PacketRoute> routes_;
  std::vector<Bytes> bytes_;
  std::vector<Time> starts_;
  PacketRoute apart_;
};

const PacketOptions plain{.mtu = {1000}, .queue = {10'000}, .rto = microseconds(200)};

void expect_law(const PacketOptions& options) {
  for (uint64_t seed = 0; seed < 8; ++seed) Law(seed).expect_the_same(options);
}

TEST(PacketPassage, planned_is_looked_after_where_packets_are_lost) { expect_law(plain); }

TEST(PacketPassage, planned_is_looked_after_where_nothing_is_lost) {
  PacketOptions options = plain;
  options.queue = {1'000'000'000};
  options.window = 1000;
  expect_law(options);
}

TEST(PacketPassage, planned_is_looked_after_where_long_queues_are_marked) {
  PacketOptions options = plain;
  options.mark = Bytes{3'000};
  for (const RateControl control : {RateControl::aimd, RateControl::dctcp, RateControl::dcqcn}) {
    options.control = control;
    expect_law(options);
  }
}

TEST(PacketPassage, planned_is_looked_after_where_losses_are_borne) {
  PacketOptions options = plain;
  options.transport = Transport::bounded_loss;
  options.loss = 0.2;
  options.mark = Bytes{4'000};
  options.small = 0.3;
  options.spray = true;
  expect_law(options);
}

}  // namespace
}  // namespace pipewright
