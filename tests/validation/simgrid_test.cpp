// Random traffic here and in SimGrid, which shares links max-min fairly as well. What it models
// beyond that is off: window sizes (TCP-gamma), acknowledgements (crosstraffic) and its correction
// factors. It weighs flows by latency, so all have the same.
#include <gtest/gtest.h>

#include <random>
#include <simgrid/s4u.hpp>

#include "network/flow_traffic.hpp"
#include "network/max_min.hpp"
#include "support/fat_tree_traffic.hpp"

namespace pipewright::test {
namespace {

namespace s4u = simgrid::s4u;

constexpr Time latency = microseconds(10);

struct Scenario {
  std::vector<double> capacities;
  RandomTraffic traffic;
};

/// 1 to 60 flows over up to 5 of 1 to 20 links, starting within 0.1 s.
Scenario random_scenario(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return static_cast<uint32_t>(random() % n); };
  Scenario scenario;
  const uint32_t links = 1 + below(20);
  for (uint32_t link = 0; link < links; ++link)
    scenario.capacities.push_back(1e8 * (1 + below(100)));
  for (uint32_t flow = 0, count = 1 + below(60); flow < count; ++flow) {
    std::vector<uint32_t> route;
    for (uint32_t hop = 0, hops = 1 + below(5); hop < hops; ++hop) {
      const uint32_t link = below(links);
      if (std::find(route.begin(), route.end(), link) == route.end()) route.push_back(link);
    }
    scenario.traffic.routes.push_back(route);
    scenario.traffic.bytes.push_back({1 + static_cast<int64_t>(below(100'000'000))});
    scenario.traffic.starts.push_back(microseconds(below(100'000)));
  }
  return scenario;
}

Scenario fat_tree_scenario() {
  const FatTree tree(4);
  return {std::vector<double>(tree.links(), 50e9), random_traffic(tree, 500, milliseconds(20))};
}

std::vector<Time> ends_here(const Scenario& scenario) {
  std::vector<Bandwidth> capacities;
  for (const double capacity : scenario.capacities) capacities.push_back({capacity});
  const RandomTraffic& traffic = scenario.traffic;
  std::vector<TrafficFlow> flows;
  for (size_t flow = 0; flow < traffic.routes.size(); ++flow)
    flows.push_back({traffic.routes[flow], latency, traffic.bytes[flow], traffic.starts[flow]});
  MaxMinSharing network(capacities);
  return run_traffic(flows, network);
}

/// All scenarios side by side, as there can be only one simulation in a process.
class Peer {
 public:
  Peer() {
    int argc = 2;
    char name[] = "simgrid", quiet[] = "--log=root.thres:warning";
    char* argv[] = {name, quiet, nullptr};
    engine_ = std::make_unique<s4u::Engine>(&argc, argv);
    for (const char* setting :
         {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
          "network/bandwidth-factor:1", "network/latency-factor:1", "network/weight-S:0",
          "surf/precision:1e-12", "maxmin/precision:1e-12", "contexts/stack-size:64"})
      s4u::Engine::set_config(setting);
    zone_ = s4u::create_full_zone("network");
  }

  /// Its ends, in seconds, stand there once run() has returned.
  void add(const Scenario& scenario, std::vector<double>& ends) {
    std::vector<const s4u::Link*> links;
    for (const double capacity : scenario.capacities)
      links.push_back(zone_->create_link(next_name(), capacity)->seal());
    ends.resize(scenario.traffic.routes.size());
    for (size_t flow = 0; flow < ends.size(); ++flow)
      add_flow(scenario.traffic, flow, links, &ends[flow]);
  }

  void run() {
    zone_->seal();
    for (const auto& start : starts_) start();
    engine_->run();
  }

 private:
  std::string next_name() { return "n" + std::to_string(names_++); }

  /// Between hosts of its own, over the links of its route and one that only has the latency.
  void add_flow(const RandomTraffic& traffic, size_t flow,
                const std::vector<const s4u::Link*>& links, double* end) {
    s4u::Host* from = zone_->create_host(next_name(), 1e9);
    s4u::Host* to = zone_->create_host(next_name(), 1e9);
    const s4u::Link* delay =
        zone_->create_link(next_name(), 1e15)->set_latency(in_seconds(latency))->seal();
    std::vector<s4u::LinkInRoute> route{s4u::LinkInRoute(delay)};
    for (const uint32_t link : traffic.routes[flow]) route.emplace_back(links[link]);
    zone_->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
    const double start = in_seconds(traffic.starts[flow]);
    const auto bytes = static_cast<uint64_t>(traffic.bytes[flow].count);
    starts_.push_back([=, name = next_name()] {
      s4u::Actor::create(name, from, [=] {
        s4u::this_actor::sleep_until(start);
        s4u::Comm::sendto(from, to, bytes);
        *end = s4u::Engine::get_clock();
      });
    });
  }

  std::unique_ptr<s4u::Engine> engine_;
  s4u::NetZone* zone_ = nullptr;
  std::vector<std::function<void()>> starts_;
  int names_ = 0;
};

TEST(SimGrid, ends_the_same_traffic_at_the_same_times) {
  std::vector<Scenario> scenarios{fat_tree_scenario()};
  for (uint64_t seed = 0; seed < 15; ++seed) scenarios.push_back(random_scenario(seed));
  Peer peer;
  std::vector<std::vector<double>> expected(scenarios.size());
  for (size_t k = 0; k < scenarios.size(); ++k) peer.add(scenarios[k], expected[k]);
  peer.run();
  for (size_t k = 0; k < scenarios.size(); ++k) {
    const std::vector<Time> ends = ends_here(scenarios[k]);
    for (size_t flow = 0; flow < ends.size(); ++flow)
      EXPECT_NEAR(in_seconds(ends[flow]), expected[k][flow], 1e-6 * expected[k][flow])
          << "scenario " << k << ", flow " << flow;
  }
}

}  // namespace
}  // namespace pipewright::test
